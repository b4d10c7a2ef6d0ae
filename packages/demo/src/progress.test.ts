import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { progressOn } from './progress.js';
import { PLAIN } from './style.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watchFor(ms: number, stream: { isTTY?: boolean; columns?: number }): string[] {
  const written: string[] = [];
  const progress = progressOn({ ...stream, write: (text) => written.push(text) }, PLAIN);
  const watch = progress.watch(() => 'so far so good');
  vi.advanceTimersByTime(ms);
  watch[Symbol.dispose]();
  vi.advanceTimersByTime(ms);
  return written;
}

describe('progress', () => {
  it('is a plain line every two seconds where nobody watches', () => {
    expect(watchFor(4_500, {})).toEqual(['so far so good\n', 'so far so good\n']);
  });

  it('is one line on a terminal, written again in place, never wider than it, and gone at the end', () => {
    expect(watchFor(450, { isTTY: true, columns: 7 })).toEqual(['\r\u001b[2Kso far', '\r\u001b[2Kso far', '\r\u001b[2K']);
  });
});
