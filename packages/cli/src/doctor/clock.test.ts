import { describe, expect, it } from 'vitest';
import { agree, compareClocks, isClear } from './clock.js';

/** A server whose clock is ahead by so much, and that answers after so long; time passes only where it is asked for. */
function world(aheadMs: number, { startMs = 1_800_000_000_123, tripMs = 20 } = {}) {
  let now = startMs;
  let asked = 0;
  return {
    get asked() {
      return asked;
    },
    nowMs: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
    dateMs: async () => {
      asked += 1;
      now += tripMs / 2;
      const date = Math.floor((now + aheadMs) / 1_000) * 1_000;
      now += tripMs / 2;
      return date;
    },
  };
}

const offsets = [-90_000, -1_000, -400, -300, -200, -1, 0, 1, 200, 300, 400, 999, 90_000];
const starts = [0, 123, 499, 500, 731, 999].map((ms) => 1_800_000_000_000 + ms);

describe('comparing clocks by headers of whole seconds', () => {
  it.each(offsets)('bounds a difference of %d ms rightly, and decides whether it is within 250 ms, whenever it begins', async (aheadMs) => {
    for (const startMs of starts) {
      const here = world(aheadMs, { startMs });
      const offset = await compareClocks(here, 250);

      expect(offset?.minMs).toBeLessThanOrEqual(aheadMs);
      expect(offset?.maxMs).toBeGreaterThanOrEqual(aheadMs);
      expect(isClear(offset ?? { minMs: 0, maxMs: 0 }, 250)).toBe(true);
      expect(agree(offset ?? { minMs: 0, maxMs: 0 }, 250)).toBe(Math.abs(aheadMs) <= 250);
      expect(here.asked).toBeLessThanOrEqual(8);
    }
  });

  it('asks a few times only where the clocks agree, so that it takes a second or two', async () => {
    const asked = await Promise.all(
      starts.map(async (startMs) => {
        const here = world(0, { startMs });
        await compareClocks(here, 250);
        return here.asked;
      }),
    );

    expect(Math.max(...asked)).toBeLessThanOrEqual(4);
  });

  it('gives up on slow answers instead of asking for ever: what is left is doubt', async () => {
    const here = world(0, { tripMs: 1_600 });
    const offset = await compareClocks(here, 250);

    expect(here.asked).toBe(10);
    expect(isClear(offset ?? { minMs: 0, maxMs: 0 }, 250)).toBe(false);
  });

  it('knows nothing without a header, or while a clock is being set', async () => {
    const silent = { ...world(0), dateMs: async () => undefined };
    let date = 1_799_999_995_000;
    const jumping = { nowMs: () => 1_800_000_000_500, sleep: async () => undefined, dateMs: async () => (date += 5_000) };

    expect(await compareClocks(silent, 250)).toBeUndefined();
    expect(await compareClocks(jumping, 250)).toBeUndefined();
  });
});
