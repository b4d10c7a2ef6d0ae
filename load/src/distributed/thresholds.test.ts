import { describe, expect, it } from 'vitest';
import { Tally } from './tally.js';
import { judge } from './thresholds.js';

function tallyOf(acquireMs: readonly number[], errors: readonly number[], admitted: number): Tally {
  const tally = new Tally();
  for (const [name, type] of [
    ['acquire', 'trend'],
    ['errors', 'rate'],
    ['admitted', 'counter'],
    ['vus', 'gauge'],
    ['empty', 'trend'],
  ] as const)
    tally.announce({ name, type });
  for (const value of acquireMs) tally.fold({ name: 'acquire', value });
  for (const value of errors) tally.fold({ name: 'errors', value });
  tally.fold({ name: 'admitted', value: admitted });
  tally.fold({ name: 'vus', value: 3 });
  return tally;
}

const judged = (tally: Tally, series: string, expression: string) => judge(tally, { [series]: [expression] }, 10)[0];

describe('thresholds of a whole run', () => {
  const tally = tallyOf([1, 2, 3, 4, 100], [0, 0, 0, 1], 50);

  it.each([
    ['acquire', 'p(50)<4', 3, true],
    ['acquire', 'p(99) < 50', 100, false],
    ['acquire', 'avg<=22', 22, true],
    ['acquire', 'max>=100', 100, true],
    ['acquire', 'min<1', 1, false],
    ['acquire', 'med<3.1', 3, true],
    ['acquire', 'count>=5', 5, true],
    ['errors', 'rate<0.25', 0.25, false],
    ['errors', 'rate<=0.25', 0.25, true],
    ['admitted', 'count>49', 50, true],
    ['admitted', 'rate>4.9', 5, true],
    ['vus', 'value>2', 3, true],
  ] as const)('%s %s: %d, %s', (series, expression, value, passed) => {
    const judgement = judged(tally, series, expression);
    expect(judgement?.passed).toBe(passed);
    expect(Math.abs((judgement?.value as number) - value)).toBeLessThan(value * 0.002 + 1e-9);
  });

  it('sees what all workers saw, not what one did', () => {
    const other = tallyOf([200, 200, 200, 200, 200], [1, 1, 1, 1], 50);
    const both = new Tally();
    both.add(tally);
    both.add(Tally.fromJSON(JSON.parse(JSON.stringify(other))));
    expect(judged(both, 'errors', 'rate<0.6')?.value).toBe(5 / 8);
    expect(judged(both, 'admitted', 'count==100')?.passed).toBe(true);
    expect(judged(both, 'vus', 'value==6')?.passed).toBe(true);
    expect(judged(both, 'acquire', 'p(50)<150')?.passed).toBe(true);
    expect(judged(both, 'acquire', 'p(60)<150')?.passed).toBe(false);
  });

  it('says of a series without values that there were none', () => {
    expect(judged(tally, 'empty', 'p(95)<5')).toMatchObject({ value: undefined, passed: true });
    expect(judged(tally, 'nobody', 'count>=1')).toMatchObject({ value: undefined, passed: false });
  });

  it('refuses what is no threshold', () => {
    expect(() => judged(tally, 'acquire', 'p95<5')).toThrow(/threshold of acquire/);
  });

  it('refuses to add runs of different scripts', () => {
    const wrong = new Tally();
    wrong.announce({ name: 'acquire', type: 'counter' });
    expect(() => tally.add(wrong)).toThrow(/different scripts/);
  });
});
