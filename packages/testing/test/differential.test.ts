import { beforeAll, describe, expect, it } from 'vitest';
import { type Added, type Comparison, compare, KINDS, type Kind, type RunTotals } from '../src/simulator/index.js';

const SEEDS = 300;
const ACQUIRES = 400;
const comparisons: Comparison[] = [];

beforeAll(async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) comparisons.push(await compare(seed, ACQUIRES));
}, 600_000);

const of = (kind: Kind) => comparisons.filter((comparison) => comparison.kind === kind);
const sum = (runs: readonly RunTotals[], field: keyof RunTotals) => runs.reduce((total, run) => total + run[field], 0);

/** What the worlds of a kind came to with all techniques, and without one. */
function totals(kind: Kind, technique: string, field: keyof RunTotals): { readonly withAll: number; readonly without: number } {
  const without = of(kind).map((comparison) => comparison.without.get(technique) as RunTotals);
  const withAll = of(kind).map((comparison) => comparison.withAll);
  return { withAll: sum(withAll, field), without: sum(without, field) };
}

const added = (kind: Kind, name: Added) => of(kind).map((comparison) => comparison.added.get(name) as RunTotals);

describe(`${SEEDS} schedules, each with all techniques and without each of them`, () => {
  it('break no invariant, and where nothing is late or lost the same callers are admitted', () => {
    expect(comparisons.filter(({ broken }) => broken.length > 0).map(({ seed, broken }) => ({ seed, broken }))).toEqual([]);
  });

  it('have something to decide in every kind of world', () => {
    for (const kind of KINDS) {
      const runs = of(kind).map(({ withAll }) => withAll);
      expect(sum(runs, 'admitted')).toBeGreaterThan(20_000);
      expect(sum(runs, 'rejected')).toBeGreaterThan(5_000);
    }
    expect(
      sum(
        comparisons.flatMap(({ without }) => [...without.values()]),
        'failed',
      ),
    ).toBeGreaterThan(500);
  });

  it('take a third of the writes where crowds are taken for together', () => {
    const { withAll, without } = totals('crowds', 'groupCommit', 'writes');

    expect(withAll).toBeLessThan(without / 3);
  });

  it('take fewer writes where rejections are free', () => {
    for (const kind of KINDS) {
      const { withAll, without } = totals(kind, 'localRejections', 'writes');
      expect(withAll).toBeLessThan(without);
    }
  });

  it('leave hardly a caller without an answer where debits go again by their name', () => {
    const { withAll, without } = totals('any', 'requestIds', 'failed');

    expect(withAll).toBeLessThan(without / 20);
  });

  it('admit as many where buckets are spread and brought together again', () => {
    for (const kind of KINDS) {
      const spread = added(kind, 'shards');
      expect(sum(spread, 'splits')).toBeGreaterThan(100);
      expect(sum(spread, 'merges')).toBeGreaterThan(30);
      const { withAll } = totals(kind, 'groupCommit', 'admitted');
      expect(Math.abs(sum(spread, 'admitted') - withAll) / withAll).toBeLessThan(0.03);
    }
  });

  it('carry the right time where clocks are wrong by seconds and replies correct them, and only there', () => {
    const errors = of('any').map(({ clockErrors }) => clockErrors);
    expect(errors.every(({ corrected }) => corrected === 0)).toBe(true);
    expect(errors.filter(({ uncorrected }) => uncorrected > 0).length).toBeGreaterThan(40);
  });

  it('admit as many or more where callers are ready to wait and come at once', () => {
    const { withAll, without } = totals('crowds', 'waiting', 'admitted');

    expect(withAll).toBeGreaterThan(without);
  });
});
