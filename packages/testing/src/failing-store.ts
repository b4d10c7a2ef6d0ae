import type { BucketRef, BucketState, BucketWrite, ConfigEntry, ConfigRef, StoreFailure, WriteOutcome } from '@millrace/core';
import { MemoryStore } from './memory-store.js';

/** What happens to a request: it fails before it is done, or it is done and its reply is lost. */
export interface Mishap {
  readonly when: 'before' | 'after';
  readonly failure: StoreFailure;
}

/**
 * A memory store on which a test says which request fails, and how. It counts what reached it, and lets a test do
 * something at the very moment that a write arrives.
 */
export class FailingStore extends MemoryStore {
  /** Decides about each write; undefined lets it pass. */
  mishapOf: (write: BucketWrite) => Mishap | undefined = () => undefined;
  /** Called as each write arrives, before it is done. */
  onWrite: (write: BucketWrite) => void | Promise<void> = () => undefined;
  readonly writes: BucketWrite[] = [];
  /** Requests that read the configuration. */
  configReads = 0;
  /** Called as each of them arrives: it may wait, or throw. */
  onConfigRead: (refs: readonly ConfigRef[]) => void | Promise<void> = () => undefined;

  override async write(write: BucketWrite): Promise<WriteOutcome> {
    this.writes.push(write);
    await this.onWrite(write);
    const mishap = this.mishapOf(write);
    if (mishap?.when === 'before') throw mishap.failure;
    const outcome = this.apply(write);
    if (mishap !== undefined) throw mishap.failure;
    return outcome;
  }

  override async readConfig(namespaceId: string, refs: readonly ConfigRef[]): Promise<readonly ConfigEntry[]> {
    this.configReads += 1;
    const entries = await super.readConfig(namespaceId, refs);
    await this.onConfigRead(refs);
    return entries;
  }

  /** What was taken and not given back, of one limit of a bucket. */
  net(ref: BucketRef, limit: string): number {
    const state: BucketState | undefined = this.bucket(ref);
    const held = state?.limits.get(limit);
    return held === undefined ? 0 : Number(held.used - held.returned);
  }
}
