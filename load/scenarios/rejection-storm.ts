// Question: what do callers cost who ask again and again although they are refused?
import { Limit } from '@millrace/core';
import { atLeast, fewDropped, mostAdmitted, neverAbove } from '../src/plan/bounds.js';
import { familyOf, SHARED_PARENT, userName } from '../src/plan/entities.js';
import { arrivalOf, type Scenario } from '../src/plan/scenario.js';
import type { RunSettings } from '../src/plan/settings.js';
import type { Threshold } from '../src/plan/thresholds.js';

const API = 'api';
const LIMIT = Limit.perSecond('rps', 5, { capacity: 20 });
const SHARE = 0.8;

export const scenario: Scenario = {
  name: 'rejection-storm',
  question: 'What do callers cost who ask again and again although they are refused?',
  sizes: { users: 20, perSecond: 500, durationMs: 30_000 },
  cascades: true,
  arrival: arrivalOf,
  resources: () => ({ [API]: [LIMIT] }),
  entities: familyOf,
  thresholds: (settings) => [
    neverAbove([LIMIT], settings),
    ...atLeast(LIMIT, settings, SHARE),
    fewRequests(settings),
    ...fewDropped(settings),
  ],

  // Nobody waits for retryAfterMs, as callers do that do not know better.
  async turn(session, { user, settings }) {
    const answer = await session.acquire(settings.cascade ? userName(user) : SHARED_PARENT, API, { rps: 1 });
    if (answer.kind === 'held') await answer.held.commit();
  },
};

/**
 * A refusal that was seen is answered from memory until there is a token again, or for a second. So it is by tokens and
 * seconds that users ask the table, and not by how often they are called: each asks once for each token, and may guess wrong
 * once. With a cascade it writes two items, and gives one back.
 */
function fewRequests({ users, durationMs, cascade }: RunSettings): Threshold {
  const tokens = mostAdmitted(LIMIT, durationMs);
  const [tries, opening] = [2 * users * (tokens + durationMs / 1_000), 10 * users];
  return { metric: 'requests', stat: 'count', op: '<=', value: Math.ceil((cascade ? 3 : 1) * tries + opening) };
}
