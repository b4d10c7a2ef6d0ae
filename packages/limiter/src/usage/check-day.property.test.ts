import { DEFAULT_RETENTION } from '@millrace/ledger';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, NAMESPACE, UsageWorld } from '../../test/usage-world.js';
import { checkPeriod } from './check-period.js';
import type { UsageFinding } from './examine.js';

const FIRST_MS = Date.UTC(2027, 4, 1);
const DAYS = 6;

const anyUse = fc.record({
  hours: fc.integer({ min: 0, max: 20 }),
  shard: fc.integer({ min: 0, max: 2 }),
  limit: fc.constantFrom('rpm', 'tpm'),
  used: fc.integer({ min: 1, max: 9 }),
  isLost: fc.boolean(),
});

const lineOf = ({ kind, type, limit, shard, window, after, used, returned }: UsageFinding): string =>
  [kind, type, limit, shard, window.toISOString(), after?.toISOString() ?? '-', used, returned].join(' ');

/** What a verification tells by the hour and by the day, the check of days tells once: a day's edge, and its end, by the day. */
function isToldByDay({ kind, type, window, after }: UsageFinding): boolean {
  if (type === 'day') return true;
  return kind === 'gap' && after !== undefined && Math.floor(after.getTime() / DAY_MS) === Math.floor(window.getTime() / DAY_MS);
}

describe('the checks of all days together', () => {
  it('tell what a verification of everything tells of hours and days, each loss once', async () => {
    let losses = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyUse, { minLength: 1, maxLength: 14 }), async (uses) => {
        const world = new UsageWorld({ at: new Date(FIRST_MS).toISOString() });
        for (const { hours, shard, limit, used, isLost } of uses) {
          world.nowMs = Math.min(world.nowMs + hours * HOUR_MS, FIRST_MS + DAYS * DAY_MS - 1);
          const use = { shard, limit, used };
          await (isLost ? world.lose(use) : world.use(use));
        }
        // Nothing is in the stream any more, so what is missing is lost.
        world.nowMs = FIRST_MS + (DAYS + 2) * DAY_MS;
        const parts = { ...world.parts, types: world.types, retention: DEFAULT_RETENTION, namespaceId: NAMESPACE };
        const told: string[] = [];
        let inFlight = 0;
        for (let day = 0; day < DAYS; day += 1) {
          const startMs = FIRST_MS + day * DAY_MS;
          const slice = await checkPeriod(parts, { resource: 'gpt-4', startMs, endMs: startMs + DAY_MS });
          told.push(...slice.found.map(lineOf));
          inFlight += slice.inFlight;
          expect(slice.failures).toEqual([]);
        }
        const { found } = await world.usage.verify({ types: ['hour', 'day'] });
        const booked = new Set(uses.flatMap(({ shard, isLost }) => (isLost ? [] : [shard])));
        const visible = found.filter((finding) => isToldByDay(finding) && booked.has(finding.shard));

        losses += visible.length;
        expect({ told: told.sort(), inFlight }).toEqual({ told: visible.map(lineOf).sort(), inFlight: 0 });
      }),
      { numRuns: 150, seed: 25 },
    );
    expect(losses).toBeGreaterThan(100);
  });
});
