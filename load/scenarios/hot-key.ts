// Question: does one key that everybody wants give what its limit allows, all of it and no token more?
import { Limit } from '@millrace/core';
import { acquireWithin, atLeast, fewDropped, neverAbove } from '../src/plan/bounds.js';
import { familyOf, SHARED_PARENT, userName } from '../src/plan/entities.js';
import { arrivalOf, type Scenario } from '../src/plan/scenario.js';

const API = 'api';
const LIMIT = Limit.perSecond('rps', 100, { capacity: 200 });
/** Of what there is, the dead-band may keep 2 %; the rest is the time that the last writes and the first take. */
const SHARE = 0.9;

/** With a cascade it is the parent that everybody wants: each refusal there is given back at the child. */
export const scenario: Scenario = {
  name: 'hot-key',
  question: 'Does one key that everybody wants give what its limit allows, all of it and no token more?',
  sizes: { users: 50, perSecond: 300, durationMs: 30_000 },
  cascades: true,
  arrival: arrivalOf,
  resources: () => ({ [API]: [LIMIT] }),
  entities: familyOf,
  thresholds: (settings) => [
    neverAbove([LIMIT], settings),
    ...atLeast(LIMIT, settings, SHARE),
    acquireWithin(settings, 250),
    ...fewDropped(settings),
  ],

  async turn(session, { user, settings }) {
    const answer = await session.acquire(settings.cascade ? userName(user) : SHARED_PARENT, API, { rps: 1 });
    if (answer.kind === 'held') await answer.held.commit();
  },
};
