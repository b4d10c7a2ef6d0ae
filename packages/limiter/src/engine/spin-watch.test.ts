import { describe, expect, it } from 'vitest';
import { SpinWatch } from './spin-watch.js';

const START_US = 1_800_000_000_000_000;

describe('a caller that asks again and again', () => {
  it('is seen once in each second in which it does', () => {
    const watch = new SpinWatch(10);
    const seen = Array.from({ length: 47_000 }, (_, call) => watch.note('bucket', START_US + call * 64)).filter(Boolean);

    // 47,000 rejections in three seconds: what one of the peers has measured.
    expect(seen).toHaveLength(3);
  });

  it('is not seen in many callers of many buckets, nor in one that waits a few milliseconds', () => {
    const watch = new SpinWatch(10_000);

    for (let bucket = 0; bucket < 5_000; bucket += 1) expect(watch.note(`bucket-${bucket}`, START_US)).toBe(false);
    for (let call = 0; call < 5_000; call += 1) expect(watch.note('patient', START_US + call * 2_000)).toBe(false);
  });

  it('is remembered for so many buckets only', () => {
    const watch = new SpinWatch(2);

    for (let round = 0; round < 2_000; round += 1) {
      for (const bucket of ['a', 'b', 'c']) expect(watch.note(bucket, START_US + round)).toBe(false);
    }
  });
});
