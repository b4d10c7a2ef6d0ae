// Question: what does a gateway to models take that reserves tokens, and says afterwards what was used?
import { Limit } from '@millrace/core';
import { acquireWithin, fewDropped, NOBODY_REFUSED, neverAbove } from '../src/plan/bounds.js';
import { familyOf, userName } from '../src/plan/entities.js';
import { arrivalOf, type Scenario } from '../src/plan/scenario.js';

/** Requests and tokens a minute of each model. */
const MODELS = {
  'gpt-4o': [500, 800_000],
  'gpt-4o-mini': [2_000, 4_000_000],
  'gpt-4.1': [500, 800_000],
  o1: [100, 200_000],
  'o3-mini': [500, 1_000_000],
  'claude-sonnet': [1_000, 2_000_000],
  'claude-haiku': [2_000, 4_000_000],
  'gemini-flash': [1_000, 4_000_000],
} as const;

const NAMES = Object.keys(MODELS);
const REQUESTS = Object.values(MODELS).map(([rpm]) => Limit.perMinute('rpm', rpm));
const RESERVED = 800;
const [LEAST, MOST] = [200, 2_000];

/** With a cascade all users are of one project, which has the limits of one user: then the project is what refuses. */
export const scenario: Scenario = {
  name: 'llm-gateway',
  question: 'What does a gateway to models take that reserves tokens, and says afterwards what was used?',
  sizes: { users: 20, durationMs: 60_000 },
  cascades: true,
  mayOwe: true,
  arrival: arrivalOf,
  resources() {
    const limits = Object.entries(MODELS).map(([model, [rpm, tpm]]) => [model, [Limit.perMinute('rpm', rpm), Limit.perMinute('tpm', tpm)]]);
    return Object.fromEntries(limits);
  },
  entities: familyOf,
  thresholds: (settings) => [
    settings.cascade ? neverAbove(REQUESTS, settings) : NOBODY_REFUSED,
    acquireWithin(settings, 100),
    { metric: 'commit', stat: 'p95', op: '<', value: settings.acquireP95Ms ?? 100 },
    ...fewDropped(settings),
  ],

  async turn(session, { user, settings, random, sleep }) {
    const model = NAMES[Math.floor(random() * NAMES.length)] ?? 'o1';
    const answer = await session.acquire(userName(user), model, { rpm: 1, tpm: RESERVED });
    if (answer.kind === 'held') {
      const used = LEAST + Math.floor(random() * (MOST - LEAST + 1));
      await answer.held.commit({ tpm: used - RESERVED });
    }
    if (settings.perSecond === undefined) await sleep(500 + 1_500 * random());
  },
};
