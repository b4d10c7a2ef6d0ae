// Question: what does a gateway to models take that reserves tokens, and says afterwards what was used?
import { acquireWithin, fewDropped, NOBODY_REFUSED, neverAbove } from '../src/plan/bounds.js';
import { familyOf, userName } from '../src/plan/entities.js';
import { MODEL_REQUESTS, modelFor, modelLimits, RESERVED_TOKENS, usedTokens } from '../src/plan/llm-models.js';
import { arrivalOf, type Scenario } from '../src/plan/scenario.js';

/** With a cascade all users are of one project, which has the limits of one user: then the project is what refuses. */
export const scenario: Scenario = {
  name: 'llm-gateway',
  question: 'What does a gateway to models take that reserves tokens, and says afterwards what was used?',
  sizes: { users: 20, durationMs: 60_000 },
  cascades: true,
  mayOwe: true,
  arrival: arrivalOf,
  resources: () => modelLimits(),
  entities: familyOf,
  thresholds: (settings) => [
    settings.cascade ? neverAbove(MODEL_REQUESTS, settings) : NOBODY_REFUSED,
    acquireWithin(settings, 100),
    { metric: 'commit', stat: 'p95', op: '<', value: settings.acquireP95Ms ?? 100 },
    ...fewDropped(settings),
  ],

  async turn(session, { user, settings, random, sleep }) {
    const answer = await session.acquire(userName(user), modelFor(random()), { rpm: 1, tpm: RESERVED_TOKENS });
    if (answer.kind === 'held') await answer.held.commit({ tpm: usedTokens(random()) - RESERVED_TOKENS });
    if (settings.perSecond === undefined) await sleep(500 + 1_500 * random());
  },
};
