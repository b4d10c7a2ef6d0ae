// Question: do many callers who want the same few keys get all that there is, and no token twice?
import { Limit } from '@millrace/core';
import { acquireWithin, atLeast, fewDropped, neverAbove } from '../src/plan/bounds.js';
import type { PlannedEntity } from '../src/plan/scenario.js';
import { arrivalOf, type Scenario } from '../src/plan/scenario.js';

const API = 'api';
const [KEYS, PARENTS] = [8, 4];
const LIMIT = Limit.perSecond('rps', 8, { capacity: 16 });
/** A call takes of two limits at once. This one is the wider, so that it never decides. */
const BYTES = Limit.perSecond('bytes', 160, { capacity: 320 });
const BYTES_PER_CALL = 10;
const SHARE = 0.8;

/** With a cascade two keys each share a parent that has the limits of one: who is refused there gives back below. */
export const scenario: Scenario = {
  name: 'contention',
  question: 'Do many callers who want the same few keys get all that there is, and no token twice?',
  sizes: { users: 16, perSecond: 20, durationMs: 30_000, callers: 8 },
  cascades: true,
  arrival: arrivalOf,
  resources: () => ({ [API]: [LIMIT, BYTES] }),
  entities: ({ cascade }) => (cascade ? family() : []),
  thresholds: (settings) => {
    const buckets = settings.cascade ? PARENTS : KEYS;
    return [
      neverAbove(
        Array.from({ length: buckets }, () => LIMIT),
        settings,
      ),
      ...atLeast(Limit.of({ ...LIMIT, refill: buckets * LIMIT.refill, capacity: buckets * LIMIT.capacity }), settings, SHARE),
      acquireWithin(settings, 250),
      ...fewDropped(settings),
    ];
  },

  // Callers of one user begin with different keys, so that each user asks for all of them at once.
  async turn(session, { caller, index }) {
    const answer = await session.acquire(keyName((caller + index) % KEYS), API, { rps: 1, bytes: BYTES_PER_CALL });
    if (answer.kind === 'held') await answer.held.commit();
  },
};

function keyName(index: number): string {
  return `key-${index + 1}`;
}

function family(): readonly PlannedEntity[] {
  const parents = Array.from({ length: PARENTS }, (_, index) => ({ id: `parent-${index + 1}` }));
  const keys = Array.from({ length: KEYS }, (_, index) => ({ id: keyName(index), parent: `parent-${(index % PARENTS) + 1}` }));
  return [...parents, ...keys];
}
