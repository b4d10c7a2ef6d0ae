// Question: do sixteen thousand entities get what they ask for while one of them makes half of all calls?
import { Limit } from '@millrace/core';
import { acquireWithin, fewDropped, mostAdmitted } from '../src/plan/bounds.js';
import { arrivalOf, type Scenario } from '../src/plan/scenario.js';
import { REFUSED_RATE } from '../src/plan/series.js';
import type { RunSettings } from '../src/plan/settings.js';
import { powerLawRank, powerLawShare } from '../src/plan/skew.js';
import type { Threshold } from '../src/plan/thresholds.js';

const ENTITIES = 16_000;
const [WHALE, SPIKER] = ['whale', 'spiker'] as const;
/** The rest, whose ranks follow a power law: the first is asked for 2.8 times as often as the second. */
const REST = ENTITIES - 2;
const EXPONENT = 1.5;

const WHALE_SHARE = 0.5;
/** The spiker's share, and what it is in a spike: every tenth stretch of so many turns of a user. */
const [SPIKER_SHARE, SPIKE_SHARE, SPIKE_EVERY, STRETCH] = [0.03, 0.3, 10, 25] as const;

const APIS = Array.from({ length: 8 }, (_, index) => `api-${index + 1}`);
const REQUESTS = Limit.perMinute('rpm', 300);
const TOKENS = Limit.perMinute('tpm', 1_000_000);
const [LEAST, MOST] = [100, 1_000];
/** For each hundred acquires five callers ask what is available. */
const ACQUIRES = 100 / 105;

const ORGANISATION = 'organisation';
/** With a cascade these are of one organisation, which has the limits of so many. To store all would take longer than the run. */
const MEMBERS = 500;

export const scenario: Scenario = {
  name: 'stress',
  question: 'Do sixteen thousand entities get what they ask for while one of them makes half of all calls?',
  sizes: { users: 20, perSecond: 200, durationMs: 60_000 },
  cascades: true,
  arrival: arrivalOf,
  resources: () => Object.fromEntries(APIS.map((api) => [api, [REQUESTS, TOKENS]])),
  entities: ({ cascade }) => (cascade ? [{ id: ORGANISATION }, ...members()] : []),
  own: ({ cascade }) => (cascade ? APIS.map((resource) => ({ entity: ORGANISATION, resource, limits: LIMITS_OF_ALL })) : []),
  thresholds: (settings) => [...refusedAtMost(settings), acquireWithin(settings, 250), ...fewDropped(settings)],

  async turn(session, { index, settings, random, sleep }) {
    const entity = entityFor(random(), random(), Math.floor(index / STRETCH) % SPIKE_EVERY === SPIKE_EVERY - 1);
    const api = APIS[Math.floor(random() * APIS.length)] ?? 'api-1';
    if (random() < ACQUIRES) {
      const answer = await session.acquire(entity, api, { rpm: 1, tpm: LEAST + Math.floor(random() * (MOST - LEAST + 1)) });
      if (answer.kind === 'held') await answer.held.commit();
    } else await session.available(entity, api);
    if (settings.perSecond === undefined) await sleep(10 + 90 * random());
  },
};

const LIMITS_OF_ALL = [REQUESTS, TOKENS].map((limit) => {
  return Limit.of({ ...limit, refill: MEMBERS * limit.refill, capacity: MEMBERS * limit.capacity });
});

function members(): readonly { readonly id: string; readonly parent: string }[] {
  const ranks = Array.from({ length: MEMBERS }, (_, index) => nameOf(index + 1));
  return [WHALE, SPIKER, ...ranks].map((id) => ({ id, parent: ORGANISATION }));
}

function entityFor(kind: number, rank: number, isSpike: boolean): string {
  if (kind < WHALE_SHARE) return WHALE;
  if (kind < WHALE_SHARE + (isSpike ? SPIKE_SHARE : SPIKER_SHARE)) return SPIKER;
  return nameOf(powerLawRank(rank, REST, EXPONENT));
}

function nameOf(rank: number): string {
  return `entity-${rank}`;
}

/** Chance, and a spiker whose spikes are longer than the run. */
const SLACK = 0.05;
/** Ranks behind these ask for less than a hundredth of the first one's share. */
const RANKS = 30;

/** Only who asks for more than the limit is refused, and only for what is above it: the whale, and at high rates others. */
function refusedAtMost({ perSecond, callers, durationMs }: RunSettings): readonly Threshold[] {
  if (perSecond === undefined) return [];
  const acquires = (perSecond * callers * ACQUIRES * durationMs) / 1_000 / APIS.length;
  const refused = (share: number): number => share * Math.max(0, 1 - mostAdmitted(REQUESTS, durationMs) / (share * acquires));
  const ranks = Array.from({ length: RANKS }, (_, index) => powerLawShare(index + 1, REST, EXPONENT) * (1 - WHALE_SHARE - SPIKER_SHARE));
  const value = [WHALE_SHARE, SPIKE_SHARE / SPIKE_EVERY + SPIKER_SHARE, ...ranks].reduce((sum, share) => sum + refused(share), SLACK);
  return [{ metric: REFUSED_RATE, stat: 'rate', op: '<=', value: Number(value.toFixed(4)) }];
}
