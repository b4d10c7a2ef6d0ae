import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlowMark } from './slow-mark.js';

function markOf(tookMs: readonly number[]): SlowMark {
  const mark = new SlowMark();
  for (const ms of tookMs) mark.note(ms);
  return mark;
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('what is slow', () => {
  it('is not known from fewer than 64 answers', () => {
    expect(markOf(upTo(63)).ms).toBeUndefined();
    expect(markOf(upTo(64)).ms).toBe(61);
  });

  it('is what 95 of 100 were no slower than, in whatever order they came', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(upTo(256), { minLength: 256 }), (tookMs) => {
        expect(markOf(tookMs).ms).toBe(244);
      }),
    );
  });

  it('is not moved by a few that take for ever', () => {
    const tookMs = upTo(256).map((index) => (index % 25 === 0 ? 60_000 : 8));

    expect(markOf(tookMs).ms).toBe(8);
  });

  it('follows the latest: what was long ago is forgotten', () => {
    const mark = markOf(upTo(256).map(() => 500));
    for (const _ of upTo(256)) mark.note(4);

    expect(mark.ms).toBe(4);
  });
});
