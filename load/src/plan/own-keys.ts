import { Limit } from '@millrace/core';
import { NOBODY_REFUSED } from './bounds.js';
import { userName } from './entities.js';
import { arrivalOf, type Scenario } from './scenario.js';

const API = 'api';

/** What the bench runs: each caller acquires for a key of its own, so that no write is shared and none is refused. */
export const ownKeys: Scenario = {
  name: 'own-keys',
  question: 'What does an acquire take of k6?',
  sizes: { users: 10, durationMs: 30_000 },
  cascades: false,
  arrival: arrivalOf,
  resources: () => ({ [API]: [Limit.perMinute('rpm', 1_000_000_000)] }),
  thresholds: () => [NOBODY_REFUSED],

  async turn(session, { user, caller }) {
    const answer = await session.acquire(`${userName(user)}/${caller}`, API, { rpm: 1 });
    if (answer.kind === 'held') await answer.held.commit();
  },
};
