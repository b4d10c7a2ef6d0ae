// Question: what does an acquire take that nobody refuses and nobody waits for?
import { Limit } from '@millrace/core';
import { acquireWithin, fewDropped, NOBODY_REFUSED } from '../src/plan/bounds.js';
import { familyOf, userName } from '../src/plan/entities.js';
import { arrivalOf, type Scenario } from '../src/plan/scenario.js';

const API = 'api';
const LIMITS = [Limit.perMinute('rpm', 1_000_000_000)];

export const scenario: Scenario = {
  name: 'simple',
  question: 'What does an acquire take that nobody refuses and nobody waits for?',
  sizes: { users: 20, durationMs: 30_000 },
  cascades: true,
  arrival: arrivalOf,
  resources: () => ({ [API]: LIMITS }),
  entities: familyOf,
  thresholds: (settings) => [NOBODY_REFUSED, acquireWithin(settings, 50), ...fewDropped(settings)],

  async turn(session, { user, settings, random, sleep }) {
    const answer = await session.acquire(userName(user), API, { rpm: 1 });
    if (answer.kind === 'held') await answer.held.commit();
    // In an open model the rate says when the next turn comes.
    if (settings.perSecond === undefined) await sleep(100 + 900 * random());
  },
};
