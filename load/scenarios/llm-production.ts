// Question: does a gateway to models stay fast and refuse nobody over a day, with its morning and its night?
import { Limit } from '@millrace/core';
import { acquireWithin, fewDropped, NOBODY_REFUSED } from '../src/plan/bounds.js';
import { MODEL_REQUESTS, modelFor, modelLimits, RESERVED_TOKENS, usedTokens } from '../src/plan/llm-models.js';
import { PROFILES, profiled } from '../src/plan/profiles.js';
import type { Scenario } from '../src/plan/scenario.js';
import type { RunSettings } from '../src/plan/settings.js';
import type { Threshold } from '../src/plan/thresholds.js';

const CUSTOMERS = 150;
const TEAMS = 10;
/** A team has the limits of so many customers, and three times as many of them. */
const TEAM_LIMITS = 5;
/** Of 18 calls 15 are chats, 2 list the models, and 1 asks what is available. */
const [CHATS, LISTS, LOOKS] = [15, 2, 1];
const CALLS = CHATS + LISTS + LOOKS;
/** The list of models is behind a limit, too. */
const LISTING = 'list-models';
const LISTING_LIMIT = Limit.perMinute('rpm', 600);

/** With a cascade customers are of teams. The shapes are `daily` and `morning-spike`; their peak is the rate. */
export const scenario: Scenario = {
  name: 'llm-production',
  question: 'Does a gateway to models stay fast and refuse nobody over a day, with its morning and its night?',
  sizes: { users: 20, perSecond: 5, durationMs: 600_000 },
  cascades: true,
  mayOwe: true,
  shapes: ['daily', 'morning-spike'],
  arrival: (settings) => profiled(PROFILES[settings.shape === 'morning-spike' ? 'morning-spike' : 'daily'], settings),
  resources: () => ({ ...modelLimits(), [LISTING]: [LISTING_LIMIT] }),
  entities: ({ cascade }) => (cascade ? [...teams(), ...customers()] : []),
  own: ({ cascade }) => (cascade ? teams().flatMap(({ id }) => limitsOfTeam(id)) : []),
  thresholds: (settings) => [
    ...nobodyRefused(settings),
    acquireWithin(settings, 100),
    { metric: 'commit', stat: 'p95', op: '<', value: settings.acquireP95Ms ?? 100 },
    ...fewDropped(settings),
  ],

  async turn(session, { settings, random, sleep }) {
    const entity = customer(Math.floor(random() * CUSTOMERS));
    const call = random() * CALLS;
    if (call < CHATS) {
      const answer = await session.acquire(entity, modelFor(random()), { rpm: 1, tpm: RESERVED_TOKENS });
      if (answer.kind === 'held') await answer.held.commit({ tpm: usedTokens(random()) - RESERVED_TOKENS });
    } else if (call < CHATS + LISTS) {
      const answer = await session.acquire(entity, LISTING, { rpm: 1 });
      if (answer.kind === 'held') await answer.held.commit();
    } else await session.available(entity, modelFor(random()));
    if (settings.perSecond === undefined) await sleep(500 + 1_500 * random());
  },
};

function customer(index: number): string {
  return `customer-${index + 1}`;
}

function teams(): readonly { readonly id: string }[] {
  return Array.from({ length: TEAMS }, (_, index) => ({ id: `team-${index + 1}` }));
}

function customers(): readonly { readonly id: string; readonly parent: string }[] {
  return Array.from({ length: CUSTOMERS }, (_, index) => ({ id: customer(index), parent: `team-${(index % TEAMS) + 1}` }));
}

function limitsOfTeam(entity: string) {
  return Object.entries(modelLimits(TEAM_LIMITS)).map(([resource, limits]) => ({ entity, resource, limits }));
}

/** Asked where the peak is far below the smallest limit, also of a team: chance gives one customer several times another's share. */
function nobodyRefused({ perSecond = 0, callers }: RunSettings): readonly Threshold[] {
  const chatsPerMinute = (perSecond * callers * 60 * CHATS) / CALLS / (CUSTOMERS * MODEL_REQUESTS.length);
  const smallest = Math.min(...MODEL_REQUESTS.map(({ refill }) => refill));
  return perSecond > 0 && chatsPerMinute < smallest / 20 ? [NOBODY_REFUSED] : [];
}
