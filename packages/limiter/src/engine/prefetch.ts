import { type BucketState, layoutOf, takeMove } from '@millrace/core';
import { BoundedMap } from './bounded-map.js';
import type { Caller, LevelTaker } from './bucket-queue.js';
import { chunkDebits, hasPlenty } from './chunk-size.js';
import { Chunks } from './chunks.js';
import type { Level } from './level.js';
import { Filling, PrefetchAccount } from './prefetch-account.js';
import type { PrefetchSettings } from './prefetch-options.js';
import type { Withdrawal } from './stock.js';
import type { HeldAhead, Taken, TakeParts, TakeResult } from './take.js';
import { isAdmitted } from './turns.js';

/** What it takes to take ahead. */
export interface PrefetchParts extends TakeParts {
  /** Whoever goes to the table. */
  readonly table: LevelTaker;
  /** Lets `close` wait for what happens behind the callers' backs. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
}

/** A bucket has one chunk, or two while the last of the older one is spent; more only where its limits are asked for in turn. */
const MOST_CHUNKS = 8;

/**
 * Takes ahead: a chunk of tokens in one write, out of which the next callers of this process are served from memory.
 *
 * A chunk is asked for behind the callers of one moment, as one more of them, so that it shares their write, and is refused
 * before any of them. It is sized by demand and by what is left ({@link chunkDebits}). The first rejection of a bucket ends
 * that for it, until it is seen with plenty left. Callers that come while a chunk is on its way wait for it as far as it
 * will serve them: the write that they would otherwise have to wait for is the same.
 *
 * The order of service: a caller that goes to the table is never held up by those whom a chunk serves, for their tokens
 * were taken before it came. It may find the bucket emptier by the chunk; where it fits only with what is held here, that
 * is added to what it asks of the table, so a request is not refused for what its own process holds.
 */
export class Prefetch implements LevelTaker, HeldAhead {
  readonly #parts: PrefetchParts;
  readonly #settings: PrefetchSettings;
  readonly #chunks: Chunks;
  readonly #accounts: BoundedMap<PrefetchAccount>;
  /** Out of which chunks a result came. */
  readonly #withdrawals = new WeakMap<Taken, Withdrawal>();
  #isClosed = false;

  constructor(parts: PrefetchParts, settings: PrefetchSettings, maxBuckets: number) {
    this.#parts = parts;
    this.#settings = settings;
    this.#chunks = new Chunks(parts, parts.track);
    this.#accounts = new BoundedMap(maxBuckets, ({ stock }) => this.#chunks.end(stock.removeAll()));
  }

  take(level: Level, caller: Caller): Promise<TakeResult> {
    const account = this.#accountOf(level);
    if (account === undefined) return this.#parts.table.take(level, caller);
    if (level.debits.some(({ requested }) => requested !== undefined)) return this.#fromAll(account, level, caller);
    account.demand.add(level.debits, this.#parts.clock.nowMs());
    const served = this.#serve(account, level);
    if (served !== undefined) return Promise.resolve(served);
    // Who may wait has a place in the bucket itself.
    if (level.waitUs > 0) return this.#parts.table.take(level, caller);
    const { filling } = account;
    if (filling?.promise(level.debits) === true) return filling.ended.then(() => this.#afterFilling(account, level, caller));
    this.#gather(account, level, caller);
    return this.#fromTable(account, level, caller);
  }

  takeBack(result: Taken): boolean {
    const withdrawal = this.#withdrawals.get(result);
    // All of it or nothing: what is credited at the store is credited in one write.
    if (withdrawal === undefined || withdrawal.parts.some(({ chunk }) => !this.#chunks.isLive(chunk))) return false;
    this.#withdrawals.delete(result);
    for (const { chunk, part } of withdrawal.parts) chunk.putBack(part);
    return true;
  }

  ownView(level: Level, state: BucketState): BucketState {
    const account = this.#isFor(level) ? this.#accounts.get(level.bucket) : undefined;
    if (account?.isFor(level) !== true) return state;
    this.#chunks.end(account.stock.removeEnded(this.#parts.clock.nowMs()));
    return account.stock.ownView(level, state);
  }

  /** Gives back what is held of one namespace, or of all, and is then over: from then on all goes to the table. */
  async close(namespaceId?: string): Promise<void> {
    if (namespaceId === undefined) this.#isClosed = true;
    const accounts = [...this.#accounts.values()].filter(({ level }) => namespaceId === undefined || level.ref.namespaceId === namespaceId);
    await Promise.all(accounts.map(({ filling }) => filling?.ended));
    await this.#chunks.giveBack(accounts.flatMap(({ stock }) => stock.removeAll()));
  }

  #isFor(level: Level): boolean {
    const { resources } = this.#settings;
    return !this.#isClosed && level.mode === 'enforce' && (resources === undefined || resources.has(level.resource));
  }

  /** The account that a level is served by; undefined where it goes to the table as it is. */
  #accountOf(level: Level): PrefetchAccount | undefined {
    if (!this.#isFor(level)) return undefined;
    // A newer configuration is met at the table, and then read; and so are other items than were believed.
    const known = this.#parts.knowledge.seen(level.bucket);
    if (known !== undefined && isOutdated(level, known)) return undefined;
    let account = this.#accounts.get(level.bucket);
    if (account === undefined) {
      account = new PrefetchAccount({ ...level, waitUs: 0 }, this.#settings.lifetimeMs);
      this.#accounts.set(level.bucket, account);
      return account;
    }
    this.#chunks.end(account.stock.removeEnded(this.#parts.clock.nowMs()));
    if (account.isFor(level)) {
      // Those who know the very same limits share a write, so a chunk is asked for with those of the last caller.
      account.level = level.waitUs === 0 ? level : { ...level, waitUs: 0 };
      return account;
    }
    const { configVersion, layout } = account.level;
    if (level.configVersion > configVersion || level.layout > layout) this.#chunks.end(account.stock.removeAll());
    if (account.stock.chunks.length > 0 || account.filling !== undefined) return undefined;
    account.adopt(level);
    return account;
  }

  #serve(account: PrefetchAccount, level: Level): Taken | undefined {
    const seen = this.#parts.knowledge.seen(level.bucket) ?? account.state;
    if (seen === undefined || !account.stock.covers(level.debits)) return undefined;
    const nowUs = this.#parts.clock.nowUs();
    const withdrawal = account.stock.withdraw(level.debits);
    this.#parts.stats.add('prefetched');
    const result = this.#taken(account, level, seen, nowUs);
    this.#withdrawals.set(result, withdrawal);
    return result;
  }

  #afterFilling(account: PrefetchAccount, level: Level, caller: Caller): Promise<TakeResult> {
    const hasLeft = caller.signal?.aborted === true || this.#parts.clock.nowMs() > caller.deadlineMs;
    this.#chunks.end(account.stock.removeEnded(this.#parts.clock.nowMs()));
    const served = hasLeft || !account.isFor(level) ? undefined : this.#serve(account, level);
    // One who has left, or whose time is over, is sent away there.
    return served === undefined ? this.#fromTable(account, level, caller) : Promise.resolve(served);
  }

  /** Takes at the table; where that refuses, with what is held here on top. */
  async #fromTable(account: PrefetchAccount, level: Level, caller: Caller): Promise<TakeResult> {
    const seen = this.#parts.knowledge.seen(level.bucket);
    const isKnownToNeedBoth = seen !== undefined && this.#needsBoth(account, level, seen, this.#parts.clock.nowUs());
    const result = isKnownToNeedBoth ? await this.#fromBoth(account, level, caller) : await this.#parts.table.take(level, caller);
    // What came for this process in the same write is to be counted as held: it is told one turn later.
    if (account.filling !== undefined) await undefined;
    if (result.kind === 'taken') {
      account.isOn ||= hasPlenty(level, result.state, result.nowUs);
      return { ...result, state: account.stock.ownView(level, result.state) };
    }
    if (result.kind !== 'exhausted') return result;
    account.isOn = false;
    const { state, nowUs } = result;
    if (state === undefined || isKnownToNeedBoth) return result;
    this.#chunks.end(account.stock.removeEnded(this.#parts.clock.nowMs()));
    if (this.#needsBoth(account, level, state, nowUs)) return this.#fromBoth(account, level, caller);
    return { ...result, state: account.stock.ownView(level, state) };
  }

  /** For a part of a request that needs all items of its bucket. It is not served here, but not held up by what is held either. */
  async #fromAll(account: PrefetchAccount, level: Level, caller: Caller): Promise<TakeResult> {
    const result = await this.#parts.table.take(level, caller);
    if (result.kind !== 'exhausted') return result;
    account.isOn = false;
    this.#chunks.end(account.stock.removeAll());
    return result;
  }

  #needsBoth({ stock }: PrefetchAccount, level: Level, state: BucketState, nowUs: number): boolean {
    if (stock.chunks.length === 0 || level.waitUs > 0 || isAdmitted(level, state, nowUs)) return false;
    return isAdmitted(level, stock.ownView(level, state), nowUs);
  }

  /** Takes what is held here, and the rest at the table. If that refuses, what was held is held again. */
  async #fromBoth(account: PrefetchAccount, level: Level, caller: Caller): Promise<TakeResult> {
    const { parts, missing } = account.stock.withdraw(level.debits);
    const result = await this.#parts.table.take({ ...level, debits: missing }, caller);
    if (result.kind === 'taken') return this.#taken(account, level, result.state, result.nowUs);
    this.#chunks.putBack(parts);
    if (result.kind !== 'exhausted') return { ...result, level };
    const { state } = result;
    return { ...result, level, state: state === undefined ? undefined : account.stock.ownView(level, state) };
  }

  /** A result for one that was served out of chunks, wholly or in part. */
  #taken({ stock }: PrefetchAccount, level: Level, state: BucketState, nowUs: number): Taken {
    const charges = level.debits.map(({ limit, timing, tokens, chargeUs }) =>
      takeMove(limit.name, timing, 'busy', tokens, chargeUs, nowUs),
    );
    return { kind: 'taken', level, state: stock.ownView(level, state), nowUs, charges, waitUs: 0 };
  }

  /** Sees to it that a chunk is asked for behind all that come in this moment. */
  #gather(account: PrefetchAccount, level: Level, caller: Caller): void {
    if (!account.isOn || account.filling !== undefined || account.stock.chunks.length >= MOST_CHUNKS) return;
    if (account.gathering === undefined) {
      account.gathering = new Map();
      // Before the table's own turn, which is asked for next.
      void Promise.resolve().then(() => this.#askForChunk(account, caller));
    }
    for (const { limit, tokens } of level.debits) {
      account.gathering.set(limit.name, (account.gathering.get(limit.name) ?? 0) + tokens);
    }
  }

  #askForChunk(account: PrefetchAccount, { deadlineMs }: Caller): void {
    const { level, stock, demand, gathering: asked } = account;
    account.gathering = undefined;
    const state = this.#parts.knowledge.seen(level.bucket);
    if (state === undefined || asked === undefined || this.#isClosed) return;
    const debits = chunkDebits(this.#settings, level, { demand, stock, state, asked, nowUs: this.#parts.clock.nowUs() });
    if (debits.length === 0) return;
    const filled = this.#parts.table
      .take({ ...level, debits }, { deadlineMs })
      .then((result) => this.#filled(account, result))
      .finally(() => {
        account.filling = undefined;
      });
    const expected = new Map(level.limits.map(({ name }) => [name, stock.held(name).tokens]));
    for (const { limit, tokens } of debits) expected.set(limit.name, (expected.get(limit.name) ?? 0) + tokens);
    account.filling = new Filling(expected, filled);
    this.#parts.track(filled);
  }

  #filled(account: PrefetchAccount, result: TakeResult): void {
    if (result.kind === 'exhausted') account.isOn = false;
    if (result.kind !== 'taken') return;
    account.state = result.state;
    // Its time runs from the sending of the write, so that nothing is admitted later than that after it was counted.
    const chunk = this.#chunks.begin(result.level, result.nowUs / 1000 + this.#settings.lifetimeMs);
    account.stock.add(chunk);
    // Forgotten, or closed, while it was on its way: nobody would come for it.
    const isWanted = !this.#isClosed && this.#accounts.get(account.level.bucket) === account;
    if (!isWanted) this.#chunks.end(account.stock.removeAll());
  }
}

/** Whether what was seen of an item says that a request does not know the newest of it. */
function isOutdated({ configVersion, layout }: Level, seen: BucketState): boolean {
  return (seen.configVersion ?? 0) > configVersion || layoutOf(seen) !== layout;
}
