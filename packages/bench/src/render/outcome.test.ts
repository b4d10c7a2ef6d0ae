import { describe, expect, it } from 'vitest';
import { exitOf } from './outcome.js';

describe('a promise that was missed', () => {
  const said: string[] = [];
  const stderr = { write: (text: string) => said.push(text) };
  const outcome = (kept: boolean | undefined) => ({ promise: 'one write', measured: '2', kept });

  it('counts with --check, and is told not to count without it', () => {
    expect(exitOf([outcome(true), outcome(undefined)], false, stderr)).toBe(0);
    expect(exitOf([outcome(true), outcome(false)], true, stderr)).toBe(1);
    expect(said).toEqual([]);

    expect(exitOf([outcome(false)], false, stderr)).toBe(0);
    expect(said.join('')).toContain('with --check it does');
  });
});
