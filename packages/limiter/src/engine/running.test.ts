import { describe, expect, it } from 'vitest';
import { Running } from './running.js';

/** Whether something has ended once all that is due now has happened. */
async function hasEnded(promise: Promise<unknown>): Promise<boolean> {
  let ended = false;
  void promise.then(() => {
    ended = true;
  });
  for (let turns = 0; turns < 20; turns += 1) await undefined;
  return ended;
}

describe('what is going on in an engine', () => {
  it('is nothing at first', async () => {
    expect(await hasEnded(new Running().idle())).toBe(true);
  });

  it('goes on until every call that began has ended', async () => {
    const running = new Running();
    running.begin();
    running.begin();
    const idle = running.idle();
    running.end();
    expect(await hasEnded(idle)).toBe(false);
    running.end();
    expect(await hasEnded(idle)).toBe(true);
  });

  it('goes on until the work that is tracked has ended, whether it failed or not', async () => {
    const running = new Running();
    const endings: (() => void)[] = [];
    running.track(new Promise<void>((resolve) => endings.push(resolve)));
    running.track(new Promise<void>((_, reject) => endings.push(reject))).catch(() => undefined);
    const idle = running.idle();
    endings[0]?.();
    expect(await hasEnded(idle)).toBe(false);
    endings[1]?.();
    expect(await hasEnded(idle)).toBe(true);
  });

  it('takes in what began while somebody was waiting', async () => {
    const running = new Running();
    running.begin();
    const idle = running.idle();
    let end: () => void = () => undefined;
    running.track(new Promise<void>((resolve) => (end = resolve)));
    running.end();
    expect(await hasEnded(idle)).toBe(false);
    end();
    expect(await hasEnded(idle)).toBe(true);
  });
});
