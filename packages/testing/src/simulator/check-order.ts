import { type BucketState, type Limit, timingOf } from '@millrace/core';
import { timeOfUs } from './check-local-rejections.js';
import { addAll, type Claim, type Executed, type History } from './history.js';
import type { Scenario } from './scenario.js';

/** A turn is rounded up to a whole millisecond. */
const ROUNDING_US = 1_000;

/**
 * I18: group commit equals some order of single acquires, first come first served. Judged where that order can be told
 * from the history: one process, whose clock is right and whose replies come, and entities without ancestors.
 */
export function checkOrder(history: History, scenario: Scenario, executedAt: (entity: string) => readonly Executed[]): string[] {
  const { clients, faults, maxSkewUs, entities, limits, settling } = scenario;
  const isFaulty = maxSkewUs > 0 || Object.values(faults).some((share) => share > 0);
  if (clients > 1 || isFaulty || entities.some(({ ancestors }) => ancestors.length > 0)) return [];
  return entities.flatMap(({ id }) => {
    const claims = history.claims.filter(({ entity }) => entity === id);
    // A place that is given back makes the bucket emptier for who comes next; those behind it keep their moment.
    const isSettled = settling.adjust > 0 || settling.release > 0;
    const inOrder = isSettled ? claims.filter(({ waitMs }) => waitMs === 0) : claims;
    const broken = checkCalls(inOrder, 2 * scenario.maxDelayUs + ROUNDING_US);
    if (broken.length > 0 || scenario.waits.share > 0) return broken.map((line) => `${line} at ${id}`);
    return checkReplay(claims, executedAt(id), limits.get(id) ?? []).map((line) => `${line} at ${id}`);
  });
}

/**
 * Of equal requests, those that are admitted are told so in the order in which they came; those that wait for their turn,
 * within a round trip. And none is refused while one that came later is admitted by the same answer.
 */
function checkCalls(claims: readonly Claim[], roundTripUs: number): string[] {
  const last = new Map<string, Claim>();
  const refused = new Map<string, Claim>();
  for (const claim of claims) {
    const key = JSON.stringify([claim.amounts, claim.waitMs]);
    if (claim.ending === 'rejected') refused.set(key, claim);
    if (claim.ending !== 'admitted') continue;
    const before = last.get(key);
    const isOvertaken = claim.waitMs === 0 ? (before?.toldAs ?? 0) > claim.toldAs : (before?.toldUs ?? 0) > claim.toldUs + roundTripUs;
    if (isOvertaken) return [`I18 a caller was admitted before an equal one that came earlier (${key})`];
    const passed = refused.get(key);
    if (passed !== undefined && passed.toldUs === claim.toldUs && passed.toldUs > claim.atUs && claim.waitMs === 0)
      return [`I18 a caller was refused while an equal one behind it was admitted (${key})`];
    last.set(key, claim);
  }
  return [];
}

/**
 * Replays what was admitted, one request after the other, in the order in which callers were told: each must fit where
 * the ones before it have left the bucket, and those that one write has taken for must be all that it took.
 */
function checkReplay(claims: readonly Claim[], executed: readonly Executed[], limits: readonly Limit[]): string[] {
  const admitted = claims.filter(({ ending }) => ending === 'admitted').sort((a, b) => a.toldAs - b.toldAs);
  let next = 0;
  for (const { write, before, after, applied } of executed) {
    if (!applied || !isTake(write)) continue;
    const bucket = new PlainBucket(limits, before, write.nowUs);
    const left = new Map(write.moves.map((move) => [move.limit, 'tokens' in move ? move.tokens : 0]));
    for (; isLeft(left); next += 1) {
      const claim = admitted[next];
      if (claim === undefined) return ['I18 a write took what nobody was given'];
      addAll(left, claim.amounts, -1);
      if (!bucket.admits(claim)) return [`I18 ${JSON.stringify(claim.amounts)} was admitted in a turn in which it did not fit`];
    }
    if (![...left.values()].every((tokens) => tokens === 0)) return ['I18 a caller was given what no write took'];
    // A last resort charges more than the tokens are worth, and the idle form takes a bucket that is nearly full for full.
    if (!bucket.isAtMost(after)) return ['I18 a write took less than its callers one after the other'];
  }
  return next === admitted.length ? [] : ['I18 a caller was given what no write took'];
}

/** A take knows a configuration; what settles a lease does not. */
function isTake({ moves, configVersion }: Executed['write']): boolean {
  return configVersion !== undefined && moves.length > 0 && moves.every(({ form }) => form === 'busy' || form === 'idle');
}

function isLeft(tokens: ReadonlyMap<string, number>): boolean {
  return [...tokens.values()].some((count) => count > 0);
}

/** A bucket as one caller after the other meets it at one moment, each knowing exactly how it stands. */
class PlainBucket {
  readonly #limits: readonly Limit[];
  readonly #nowUs: number;
  readonly #tatsUs = new Map<string, number>();

  constructor(limits: readonly Limit[], state: BucketState | undefined, nowUs: number) {
    this.#limits = limits;
    this.#nowUs = nowUs;
    for (const limit of limits) {
      const tatUs = state?.limits.get(limit.name)?.tatUs ?? Number.NEGATIVE_INFINITY;
      // What is full for longer than the state may lag behind begins anew.
      this.#tatsUs.set(limit.name, nowUs - tatUs > timingOf(limit).deadBandUs ? Number.NEGATIVE_INFINITY : tatUs);
    }
  }

  /** Takes if all limits have it. */
  admits({ amounts }: Claim): boolean {
    const asked = this.#limits.filter(({ name }) => amounts[name] !== undefined);
    for (const limit of asked) {
      const tatUs = this.#tatsUs.get(limit.name) ?? Number.NEGATIVE_INFINITY;
      const costUs = timeOfUs(limit, amounts[limit.name] ?? 0);
      if (tatUs + costUs > this.#nowUs + timingOf(limit).busyToleranceUs) return false;
      this.#tatsUs.set(limit.name, (tatUs === Number.NEGATIVE_INFINITY ? this.#nowUs : tatUs) + costUs);
    }
    return true;
  }

  /** True if what a write left is no emptier a bucket than this. */
  isAtMost(after: BucketState | undefined): boolean {
    return [...this.#tatsUs].every(
      ([limit, tatUs]) => tatUs === Number.NEGATIVE_INFINITY || (after?.limits.get(limit)?.tatUs ?? 0) >= tatUs,
    );
  }
}
