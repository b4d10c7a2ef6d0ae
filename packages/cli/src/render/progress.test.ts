import { describe, expect, it } from 'vitest';
import { progressOn } from './progress.js';

function stream(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 30, write: (text: string) => written.push(text) };
}

describe('progress', () => {
  it('writes a line for each tenth of the work where there is no terminal, so that a log stays short', () => {
    const err = stream(false);
    const progress = progressOn(err, 'applied');
    for (let done = 0; done <= 5_000; done += 1) progress.step(done, 5_000);
    progress.end();

    expect(err.written).toHaveLength(11);
    expect(err.written.at(0)).toBe('applied: 0 of 5,000\n');
    expect(err.written.at(-1)).toBe('applied: 5,000 of 5,000\n');
  });

  it('shows nothing where there is nothing to do', () => {
    for (const isTTY of [true, false]) {
      const err = stream(isTTY);
      progressOn(err, 'applied').step(0, 0);

      expect(err.written).toEqual([]);
    }
  });

  it('writes a line for each 500 where nobody knows how much there is, and none for less', () => {
    const err = stream(false);
    const progress = progressOn(err, 'deleted');
    for (let done = 100; done <= 1_200; done += 100) progress.step(done);

    expect(err.written).toEqual(['deleted: 500\n', 'deleted: 1,000\n']);
  });

  it('writes one line again and again on a terminal, not longer than it, not too often, and takes it away at the end', () => {
    let nowMs = 0;
    const err = stream(true);
    const progress = progressOn(err, 'a rather long name of work', () => nowMs);
    progress.step(1, 9);
    progress.step(2, 9);
    nowMs = 100;
    progress.step(3, 9);
    progress.step(9, 9);
    progress.end();

    const clear = '\r\u001b[2K';
    const shown = (text: string) => clear + `a rather long name of work: ${text}`.slice(0, 29);
    expect(err.written).toEqual([shown('1 of 9'), shown('3 of 9'), shown('9 of 9'), clear]);
  });
});
