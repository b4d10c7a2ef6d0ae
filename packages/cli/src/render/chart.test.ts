import { describe, expect, it } from 'vitest';
import { barChart } from './chart.js';

describe('a chart', () => {
  it('has bars as long as their values, in eighths, the longest filling the width', () => {
    const bars = [
      { label: 'one', value: 80 },
      { label: 'two', value: 41 },
      { label: 'three', value: 0 },
    ];

    expect(barChart(bars, 22)).toBe('one    80  ██████████\ntwo    41  █████▏\nthree   0\n');
  });

  it('shows every value that is not 0, however small, and no bar below 0', () => {
    expect(
      barChart(
        [
          { label: 'a', value: 1_000_000 },
          { label: 'b', value: 1 },
          { label: 'c', value: -5 },
        ],
        30,
      ),
    ).toBe(`a  1,000,000  ${'█'.repeat(15)}\nb          1  ▏\nc         -5\n`);
  });

  it('of nothing is nothing, and of nothing but zeros has no bars', () => {
    expect(barChart([])).toBe('');
    expect(barChart([{ label: 'a', value: 0 }])).toBe('a  0\n');
  });

  it('is drawn on a terminal that is too narrow as well, and writes no label that would move the cursor', () => {
    expect(barChart([{ label: 'long\u001b[2Jlabel', value: 2 }], 5)).toBe(`long\\u001b[2Jlabel  2  ${'█'.repeat(8)}\n`);
  });
});
