// Question: is a limiter after hours as exact as it was at first, and no slower?
import { Limit } from '@millrace/core';
import { acquireWithin, fewDropped, NOBODY_REFUSED } from '../src/plan/bounds.js';
import type { PlannedEntity } from '../src/plan/scenario.js';
import { arrivalOf, type Scenario } from '../src/plan/scenario.js';
import type { RunSettings } from '../src/plan/settings.js';
import type { Threshold } from '../src/plan/thresholds.js';

const API = 'api';
const [KEYS, PARENTS] = [200, 10];
const REQUESTS = Limit.perMinute('rpm', 120);
const TOKENS = Limit.perMinute('tpm', 100_000);
const [RESERVED, LEAST, MOST] = [100, 20, 200];
/** Of a hundred turns: those that settle with what was really used, that give back, and that only look. The rest keeps what it took. */
const [ADJUSTED, RELEASED, LOOKS] = [0.4, 0.1, 0.1];
/** Who is refused waits so long at most. */
const WAIT_MS = 2_000;

/** Slow, and of everything that a limiter does. `--duration` makes it shorter, or as long as a weekend. */
export const scenario: Scenario = {
  name: 'soak',
  question: 'Is a limiter after hours as exact as it was at first, and no slower?',
  sizes: { users: 10, perSecond: 20, durationMs: 4 * 3_600_000 },
  cascades: true,
  mayOwe: true,
  arrival: arrivalOf,
  resources: () => ({ [API]: [REQUESTS, TOKENS] }),
  entities: ({ cascade }) => (cascade ? family() : []),
  own: ({ cascade }) => (cascade ? parents().map(({ id }) => ({ entity: id, resource: API, limits: LIMITS_OF_PARENT })) : []),
  thresholds: (settings) => [
    ...nobodyRefused(settings),
    acquireWithin(settings, 50),
    { metric: 'commit', stat: 'p95', op: '<', value: settings.acquireP95Ms ?? 50 },
    ...fewDropped(settings),
  ],

  async turn(session, { settings, random, sleep }) {
    const key = keyName(Math.floor(random() * KEYS));
    const what = random();
    if (what < LOOKS) await session.available(key, API);
    else {
      const answer = await session.acquire(key, API, { rpm: 1, tpm: RESERVED }, { waitMs: WAIT_MS });
      if (answer.kind === 'held') {
        if (what < LOOKS + RELEASED) await answer.held.release();
        else if (what < LOOKS + RELEASED + ADJUSTED) {
          await answer.held.commit({ tpm: LEAST + Math.floor(random() * (MOST - LEAST + 1)) - RESERVED });
        } else await answer.held.commit();
      }
    }
    if (settings.perSecond === undefined) await sleep(250 + 500 * random());
  },
};

const LIMITS_OF_PARENT = [REQUESTS, TOKENS].map((limit) => {
  return Limit.of({ ...limit, refill: (limit.refill * KEYS) / PARENTS, capacity: (limit.capacity * KEYS) / PARENTS });
});

function keyName(index: number): string {
  return `key-${index + 1}`;
}

function parents(): readonly PlannedEntity[] {
  return Array.from({ length: PARENTS }, (_, index) => ({ id: `parent-${index + 1}` }));
}

function family(): readonly PlannedEntity[] {
  return [...parents(), ...Array.from({ length: KEYS }, (_, index) => ({ id: keyName(index), parent: `parent-${(index % PARENTS) + 1}` }))];
}

/** Asked where chance, over hours, makes no key want as much as it may have. */
function nobodyRefused({ perSecond, callers }: RunSettings): readonly Threshold[] {
  if (perSecond === undefined) return [];
  return (perSecond * callers * 60) / KEYS <= REQUESTS.refill / 4 ? [NOBODY_REFUSED] : [];
}
