import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeChange, type WindowChange } from './change.js';
import { reduceSteps } from './reduce.js';
import type { BucketStep } from './step.js';

const MIDNIGHT_MS = Date.UTC(2027, 0, 15);
const TYPES = ['hour', 'day', 'week', 'month'] as const;
const UTC = (): string => 'UTC';

/** The steps of an item, one after another, from `first` on. */
function stepsOf(entity: string, times: readonly number[], eraUs = 7): readonly BucketStep[] {
  return times.map((atMs, index) => ({
    ref: { namespaceId: 'n', entity, resource: 'r', shard: 0 },
    eraUs,
    atMs,
    seq: { from: index, to: index + 1 },
    limits: new Map([
      ['rpm', { used: { from: BigInt(index), to: BigInt(index + 1) }, returned: { from: 0n, to: 0n }, isBirth: index === 0 }],
    ]),
  }));
}

const shown = (changes: readonly WindowChange[]): readonly string[] =>
  changes
    .map(({ ref, seq, limits }) => {
      const rpm = limits.get('rpm');
      const place = `${ref.bucket.entity} ${ref.eraUs} ${ref.type} ${new Date(ref.startMs).toISOString().slice(0, 13)}`;
      return `${place} seq ${seq.from}-${seq.to} used ${rpm?.used.from}-${rpm?.used.to}${rpm?.isBirth ? ' born' : ''}`;
    })
    .sort();

describe('a batch', () => {
  it('makes one change of each bucket item, era and window, however many records it has', () => {
    const steps = [
      ...stepsOf(
        'a',
        [0, 1_000, 2_000].map((ms) => MIDNIGHT_MS + ms),
      ),
      ...stepsOf('b', [MIDNIGHT_MS]),
    ];

    expect(shown(reduceSteps(steps, UTC, ['hour', 'day']))).toEqual([
      'a 7 day 2027-01-15T00 seq 0-3 used 0-3 born',
      'a 7 hour 2027-01-15T00 seq 0-3 used 0-3 born',
      'b 7 day 2027-01-15T00 seq 0-1 used 0-1 born',
      'b 7 hour 2027-01-15T00 seq 0-1 used 0-1 born',
    ]);
  });

  it('keeps an hour and a day that begin at one midnight apart (in a peer they collide)', () => {
    const changes = reduceSteps(stepsOf('a', [MIDNIGHT_MS, MIDNIGHT_MS + 7_200_000]), UTC, ['hour', 'day']);

    expect(shown(changes)).toEqual([
      'a 7 day 2027-01-15T00 seq 0-2 used 0-2 born',
      'a 7 hour 2027-01-15T00 seq 0-1 used 0-1 born',
      'a 7 hour 2027-01-15T02 seq 1-2 used 1-2',
    ]);
  });

  it('keeps eras of an item apart', () => {
    const changes = reduceSteps([...stepsOf('a', [MIDNIGHT_MS], 7), ...stepsOf('a', [MIDNIGHT_MS], 8)], UTC, ['hour']);

    expect(changes.map(({ ref }) => ref.eraUs)).toEqual([7, 8]);
  });

  it('takes the windows of the zone of the namespace', () => {
    const [change] = reduceSteps(stepsOf('a', [MIDNIGHT_MS]), () => 'Asia/Kolkata', ['day']);

    expect(change?.ref.startMs).toBe(MIDNIGHT_MS - 5.5 * 3_600_000);
  });

  it('of nothing makes nothing', () => {
    expect(reduceSteps([], UTC, TYPES)).toEqual([]);
  });
});

describe('the records of some hours', () => {
  const anyTimes = fc.array(fc.integer({ min: 0, max: 30 * 3_600 }), { minLength: 1, maxLength: 30 });
  const sorted = (times: readonly number[]): number[] => [...times].sort((a, b) => a - b).map((sec) => MIDNIGHT_MS + sec * 1_000);
  const anySteps = fc.tuple(anyTimes, anyTimes).map(([a, b]) => [...stepsOf('a', sorted(a)), ...stepsOf('b', sorted(b))]);

  it('make the same changes in any order, and however often each comes', () => {
    const anyMess = anySteps.chain((steps) =>
      fc.record({ steps: fc.constant(steps), mess: fc.array(fc.constantFrom(...steps), { maxLength: 60 }) }),
    );
    const same = fc.property(anyMess, ({ steps, mess }) => {
      const messy = [...mess, ...[...steps].reverse(), ...mess];
      expect(shown(reduceSteps(messy, UTC, TYPES))).toEqual(shown(reduceSteps(steps, UTC, TYPES)));
    });

    fc.assert(same);
  });

  it('make the same windows in slices of any size (a peer counts a batch that is halved twice)', () => {
    const anySlices = fc.tuple(anySteps, fc.integer({ min: 1, max: 7 }));
    const same = fc.property(anySlices, ([steps, size]) => {
      const windows = new Map<string, WindowChange>();
      for (let from = 0; from < steps.length; from += size) {
        for (const change of reduceSteps(steps.slice(from, from + size), UTC, TYPES)) {
          const name = JSON.stringify(change.ref);
          const known = windows.get(name);
          windows.set(name, known === undefined ? change : mergeChange(known, change));
        }
      }
      expect(shown([...windows.values()])).toEqual(shown(reduceSteps(steps, UTC, TYPES)));
    });

    fc.assert(same);
  });
});
