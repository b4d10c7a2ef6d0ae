import {
  type BucketRef,
  type BucketState,
  type BucketStore,
  type BucketWrite,
  bucketName,
  type ConfigEntry,
  type ConfigRef,
  type ConfigStore,
  configName,
  counterBase,
  hasApplied,
  type LimitState,
  type Move,
  type WriteOutcome,
} from '@millrace/core';
import { mayReshape, reshaped } from './memory-reshape.js';

/**
 * The reference store: what a bucket write means, said as plainly as possible. It is slow, obvious and atomic, because
 * no step of it waits. Every other store has to behave like this one.
 */
export class MemoryStore implements BucketStore, ConfigStore {
  readonly #buckets = new Map<string, BucketState>();
  readonly #config = new Map<string, ConfigEntry>();

  async write(write: BucketWrite): Promise<WriteOutcome> {
    return this.apply(write);
  }

  /** What `write` does, at once: a simulator decides for itself when a write happens. */
  apply(write: BucketWrite): WriteOutcome {
    const key = bucketName(write.ref);
    const old = this.#buckets.get(key);
    if (!isAllowed(write, old)) return { kind: 'refused', state: old };

    const limits = new Map(old?.limits);
    for (const move of write.moves) {
      if (move.form === 'drop') limits.delete(move.limit);
      else limits.set(move.limit, { ...moved(move, limits.get(move.limit), write.nowUs), ...scaleAfter(move, limits.get(move.limit)) });
    }
    const shape = reshaped(write, old, limits);
    const state: BucketState = {
      limits,
      seq: (old?.seq ?? write.nowUs) + 1,
      configVersion: write.configVersion ?? old?.configVersion,
      ttlSec: write.ttlSec,
      eraUs: (old?.eraUs ?? write.nowUs) + (write.moves.some(({ form }) => form === 'drop') ? 1 : 0),
      ...requestIdsAfter(write, old),
      ...shape,
    };
    this.#buckets.set(key, state);
    return { kind: 'written', state };
  }

  async read(ref: BucketRef): Promise<BucketState | undefined> {
    return this.bucket(ref);
  }

  /** The state of a bucket now. */
  bucket(ref: BucketRef): BucketState | undefined {
    return this.#buckets.get(bucketName(ref));
  }

  /** Deletes a bucket, as expiry does. */
  expire(ref: BucketRef): void {
    this.#buckets.delete(bucketName(ref));
  }

  async readConfig(namespaceId: string, refs: readonly ConfigRef[]): Promise<readonly ConfigEntry[]> {
    return refs.map((ref) => this.#config.get(configName(namespaceId, ref)) ?? {});
  }

  /** Stores an item of the configuration, as administration does; without an entry the item is gone. */
  setConfig(namespaceId: string, ref: ConfigRef, entry: ConfigEntry | undefined): void {
    const name = configName(namespaceId, ref);
    if (entry === undefined) this.#config.delete(name);
    else this.#config.set(name, entry);
  }
}

function isAllowed(write: BucketWrite, old: BucketState | undefined): boolean {
  if (write.configVersion !== undefined && old?.configVersion !== undefined && old.configVersion > write.configVersion) return false;
  if (hasApplied(old, write.request) || !mayReshape(write, old)) return false;
  // A write without moves only lengthens the life of what is there, or raises its configuration version.
  if (write.moves.length === 0) return old !== undefined || write.reshape?.form === 'birth' || write.reshape?.form === 'retire';
  return write.moves.every((move) => holds(move, old?.limits.get(move.limit)));
}

function holds(move: Move, old: LimitState | undefined): boolean {
  switch (move.form) {
    case 'busy':
      return old !== undefined && old.tatUs >= move.fromUs && (move.toUs === undefined || old.tatUs <= move.toUs) && isInScale(move, old);
    case 'idle':
      return old === undefined || old.tatUs <= move.toUs;
    case 'credit':
      return old !== undefined && isInScale(move, old);
    case 'revive':
      return old === undefined;
    case 'rescale':
      return old?.tatUs === move.fromTatUs;
    case 'drop':
      return old !== undefined && old.tatUs <= move.toUs;
  }
}

function isInScale({ scale }: { readonly scale?: string }, old: LimitState): boolean {
  return scale === undefined || old.scale === undefined || old.scale === scale;
}

function scaleAfter({ scale }: { readonly scale?: string }, old: LimitState | undefined): Pick<LimitState, 'scale'> {
  const left = scale ?? old?.scale;
  return left === undefined ? {} : { scale: left };
}

function requestIdsAfter({ request }: BucketWrite, old: BucketState | undefined): Pick<BucketState, 'requestIds'> {
  const before = old?.requestIds;
  if (request === undefined) return before === undefined ? {} : { requestIds: before };
  return { requestIds: new Map(before).set(request.slot, request.id) };
}

function moved(move: Exclude<Move, { readonly form: 'drop' }>, old: LimitState | undefined, nowUs: number): LimitState {
  const { tatUs, used, returned } = old ?? { tatUs: 0, used: counterBase(nowUs), returned: counterBase(nowUs) };
  switch (move.form) {
    case 'busy':
      return { tatUs: tatUs + move.chargeUs, used: used + BigInt(move.tokens), returned };
    case 'idle':
      return { tatUs: nowUs + move.chargeUs, used: used + BigInt(move.tokens), returned };
    case 'credit':
      return { tatUs: tatUs - move.chargeUs, used, returned: returned + BigInt(move.tokens) };
    case 'revive':
      return { tatUs: nowUs, used, returned: returned + BigInt(move.tokens) };
    case 'rescale':
      return { tatUs: move.toTatUs, used, returned };
  }
}
