import { describe, expect, it } from 'vitest';
import { passBarrier } from './barrier.js';

/** A clock that only sleeping moves, and a k6 that is ready at a moment. */
function world(readyAtMs: number) {
  let nowMs = 1_000;
  return {
    nowMs: () => nowMs,
    sleep: async (delayMs: number) => {
      nowMs += delayMs;
    },
    isReady: async () => nowMs >= readyAtMs,
  };
}

describe('the start barrier', () => {
  it('lets a worker that is ready early begin at the agreed moment', async () => {
    const parts = world(1_200);
    expect(await passBarrier(5_000, 500, parts)).toEqual({ passed: true, delayMs: 0 });
    expect(parts.nowMs()).toBe(5_000);
  });

  it('lets a worker that is a little late begin at once, and says how late', async () => {
    expect(await passBarrier(5_000, 500, world(5_200))).toEqual({ passed: true, delayMs: 200 });
  });

  it('does not let a worker begin that would run beside everybody else', async () => {
    expect(await passBarrier(5_000, 500, world(9_000))).toMatchObject({ passed: false });
    expect(await passBarrier(100, 500, world(0))).toMatchObject({ passed: false, reason: expect.stringContaining('900 ms after') });
  });
});
