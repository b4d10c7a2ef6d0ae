// Question: how many acquires a second do limiters make that never pause?
import { Limit } from '@millrace/core';
import { acquireWithin, fewDropped, NOBODY_REFUSED } from '../src/plan/bounds.js';
import { familyOf, userName } from '../src/plan/entities.js';
import { arrivalOf, type Scenario } from '../src/plan/scenario.js';

const API = 'api';
const LIMITS = [Limit.perMinute('rpm', 1_000_000_000)];

/** With a cascade the parent is one item that takes every write of the run: what DynamoDB carries of one key is what there is. */
export const scenario: Scenario = {
  name: 'max-rps',
  question: 'How many acquires a second do limiters make that never pause?',
  sizes: { users: 10, durationMs: 30_000 },
  cascades: true,
  arrival: arrivalOf,
  resources: () => ({ [API]: LIMITS }),
  entities: familyOf,
  thresholds: (settings) => [NOBODY_REFUSED, acquireWithin(settings, 250), ...fewDropped(settings)],

  async turn(session, { user }) {
    const answer = await session.acquire(userName(user), API, { rpm: 1 });
    if (answer.kind === 'held') await answer.held.commit();
  },
};
