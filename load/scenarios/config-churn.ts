// Question: does a bucket whose limits change all the time ever give more than the largest of them allows?
import { Limit } from '@millrace/core';
import { atLeast, fewDropped, neverAbove } from '../src/plan/bounds.js';
import { familyOf, SHARED_PARENT, userName } from '../src/plan/entities.js';
import { widest } from '../src/plan/exactness.js';
import { arrivalOf, type Scenario } from '../src/plan/scenario.js';
import type { Management } from '../src/plan/session.js';
import type { RunSettings } from '../src/plan/settings.js';

const API = 'api';
const FIRST = Limit.perSecond('rps', 50, { capacity: 100 });
/** Another rate, another capacity, both, and another period for the same rate. */
const OF_RESOURCE = [
  Limit.perSecond('rps', 20, { capacity: 100 }),
  Limit.perSecond('rps', 50, { capacity: 200 }),
  Limit.perSecond('rps', 100, { capacity: 50 }),
  Limit.perMinute('rps', 3_000, { capacity: 100 }),
];
/** What the entity that everybody wants has of its own, now and then. */
const OF_ENTITY = Limit.perSecond('rps', 80, { capacity: 150 });
const ALL = [FIRST, ...OF_RESOURCE, OF_ENTITY];
const SLOWEST = Limit.perSecond('rps', 20, { capacity: 50 });
const SHARE = 0.7;

type Change = { readonly [O in keyof Management]: readonly [O, Management[O]] }[keyof Management];

const OWN = { entity: SHARED_PARENT, resource: API } as const;
const SET_RESOURCE = OF_RESOURCE.map((limit): Change => ['set_resource', { resource: API, limits: [Limit.format(limit)] }]);
/** One after the other, and again from the start. */
const CHANGES: readonly Change[] = [
  ...SET_RESOURCE.slice(0, 2),
  ['set_entity', { ...OWN, limits: [Limit.format(OF_ENTITY)] }],
  ...SET_RESOURCE.slice(2),
  ['delete_entity', OWN],
];

/** A change a second, by one user of k6 through the Node service; all others only hear of it. */
export const scenario: Scenario = {
  name: 'config-churn',
  question: 'Does a bucket whose limits change all the time ever give more than the largest of them allows?',
  sizes: { users: 20, perSecond: 150, durationMs: 30_000 },
  cascades: true,
  manages: true,
  configTtlMs: 2_000,
  arrival: arrivalOf,
  resources: () => ({ [API]: [FIRST] }),
  entities: familyOf,
  later: () => [
    ...OF_RESOURCE.map((limit) => ({ resource: API, limits: [limit] })),
    { entity: SHARED_PARENT, resource: API, limits: [OF_ENTITY] },
  ],
  thresholds: (settings) => [
    neverAbove([widest(ALL) ?? FIRST], settings),
    ...atLeast(SLOWEST, settings, SHARE),
    { metric: 'set_resource', stat: 'p95', op: '<', value: settings.acquireP95Ms ?? 500 },
    ...fewDropped(settings),
  ],

  async turn(session, { user, caller, index, settings, sleep }) {
    const every = turnsPerSecond(settings);
    if (user === 1 && caller === 0 && index % every === every - 1) {
      const [operation, given] = CHANGES[Math.floor(index / every) % CHANGES.length] as Change;
      await session.manage(operation, given as never);
    }
    const answer = await session.acquire(settings.cascade ? userName(user) : SHARED_PARENT, API, { rps: 1 });
    if (answer.kind === 'held') await answer.held.commit();
    if (settings.perSecond === undefined) await sleep(PAUSE_MS);
  },
};

const PAUSE_MS = 50;

/** How many turns a user makes in a second, about. */
function turnsPerSecond({ users, perSecond }: RunSettings): number {
  return Math.max(1, Math.round(perSecond === undefined ? 1_000 / PAUSE_MS : perSecond / users));
}
