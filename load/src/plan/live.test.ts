import { describe, expect, it } from 'vitest';
import { RunProgress, together } from './live.js';

describe('how far a run has come', () => {
  it('is its time, its turns, and the rate of the last seconds, not of all', () => {
    const progress = new RunProgress(60_000, 1_000);
    expect(progress.text(3_000)).toBe('2 s of 60 s');

    progress.heard({ turns: 1_000, refused: 0, errors: 0 }, 11_000);
    expect(progress.text(11_500)).toBe('10 s of 60 s, 1000 turns, 100/s, no errors');

    progress.heard({ turns: 1_000, refused: 0, errors: 0 }, 12_999);
    progress.heard({ turns: 1_010, refused: 0.25, errors: 0.005 }, 13_000);
    expect(progress.text(13_500)).toBe('12 s of 60 s, 1010 turns, 5.0/s, 25 % refused, 0.50 % errors');
    expect(progress.text(70_000)).toContain('60 s are over');
  });

  it('counts down to the start where workers have to be launched first', () => {
    const progress = new RunProgress(60_000, 0);
    progress.begins(120_000);

    expect(progress.text(30_500)).toBe('turns begin in 90 s');
    expect(progress.text(125_000)).toBe('5 s of 60 s');
  });

  it('is that of all workers together, by their turns', () => {
    const workers = [
      { turns: 300, refused: 0.5, errors: 0 },
      { turns: 100, refused: 0.1, errors: 0.04 },
    ];
    expect(together(workers)).toEqual({ turns: 400, refused: 0.4, errors: 0.01 });
    expect(together([])).toEqual({ turns: 0, refused: 0, errors: 0 });
  });
});
