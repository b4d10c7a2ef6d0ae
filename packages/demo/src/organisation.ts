import { Limit } from '@millrace/limiter';

/** What all keys use, and so the name under which all of it is limited. */
export const MODEL = 'summarizer-1';

/** Requests and tokens: the two limits that every entity has. */
export const LIMIT_NAMES = ['rpm', 'tpm'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** The organisation, a project or an API key. */
export interface Member {
  readonly id: string;
  readonly parent?: string;
  readonly limits: readonly Limit[];
}

/** An API key, and how hard its clients press. */
export interface ApiKey extends Member {
  /** How many clients call with it at once. */
  readonly clients: number;
  /** How long each of them rests between two calls. */
  readonly restMs: number;
}

function limits(rpm: number, burstRequests: number, tpm: number, burstTokens: number): readonly Limit[] {
  return [Limit.perMinute('rpm', rpm, { capacity: burstRequests }), Limit.perMinute('tpm', tpm, { capacity: burstTokens })];
}

const ORGANISATION: Member = { id: 'acme', limits: limits(1_200, 120, 480_000, 40_000) };

/** The projects. Capacities are small beside the rates, so that a short run meets the limits of every level. */
export const PROJECTS: readonly Member[] = [
  { id: 'assistant', parent: 'acme', limits: limits(900, 90, 400_000, 40_000) },
  { id: 'search', parent: 'acme', limits: limits(600, 60, 90_000, 9_000) },
  { id: 'research', parent: 'acme', limits: limits(300, 30, 200_000, 20_000) },
];

/** The API keys. */
export const API_KEYS: readonly ApiKey[] = [
  { id: 'assistant-web', parent: 'assistant', limits: limits(600, 60, 300_000, 30_000), clients: 3, restMs: 150 },
  { id: 'assistant-mobile', parent: 'assistant', limits: limits(300, 30, 150_000, 15_000), clients: 2, restMs: 200 },
  { id: 'search-index', parent: 'search', limits: limits(600, 60, 50_000, 5_000), clients: 3, restMs: 50 },
  { id: 'search-query', parent: 'search', limits: limits(300, 30, 75_000, 7_500), clients: 2, restMs: 200 },
  { id: 'research-nightly', parent: 'research', limits: limits(60, 6, 150_000, 15_000), clients: 2, restMs: 100 },
  { id: 'research-notebook', parent: 'research', limits: limits(120, 12, 150_000, 15_000), clients: 1, restMs: 400 },
];

/** Everybody, parents before their children, as a tree is read. */
export const MEMBERS: readonly Member[] = [
  ORGANISATION,
  ...PROJECTS.flatMap((project) => [project, ...API_KEYS.filter((key) => key.parent === project.id)]),
];

/** How many levels an acquire of an API key takes from: key, project, organisation. */
export const LEVELS = 3;

const byId = new Map(MEMBERS.map((member) => [member.id, member]));

/** The limits that are stored for an entity. */
export function limitsOf(entity: string): readonly Limit[] | undefined {
  return byId.get(entity)?.limits;
}

/** How far below the organisation somebody stands. */
export function depthOf(member: Member): number {
  const parent = member.parent === undefined ? undefined : byId.get(member.parent);
  return parent === undefined ? 0 : depthOf(parent) + 1;
}

/** The ids of the API keys that a member's limits count: those below it, or the key itself. */
export function keysUnder(id: string): readonly string[] {
  const isUnder = (member: Member | undefined): boolean =>
    member !== undefined && (member.id === id || isUnder(member.parent === undefined ? undefined : byId.get(member.parent)));
  return API_KEYS.filter(isUnder).map((key) => key.id);
}
