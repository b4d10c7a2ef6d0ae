import {
  type BatchFigures,
  type FoundInLedger,
  type HandlerOptions,
  type HandlerParts,
  type LedgerFigures,
  type Metrics,
  makeHandler,
  type PeriodMarks,
  type SealFigures,
  type SealMetrics,
  type Trouble,
} from '@millrace/aggregator-lambda';
import { counterBase, type OpenPeriod, type WindowType, type WireItem } from '@millrace/core';
import { totalUsage, type WindowChange, type WindowStore } from '@millrace/ledger';
import { type LambdaStreamRecord, MemoryStream, MemoryWindowStore } from '@millrace/testing';

/** A moment in an hour, a day, a week and a month, not at the start of any. */
export const AT_MS = Date.UTC(2026, 4, 13, 10, 20, 30);

/** Buckets whose writes become records of a stream, as DynamoDB makes them. */
export class BucketWorld {
  readonly stream = new MemoryStream();
  readonly #items = new Map<string, WireItem>();

  /** Takes tokens of the limit `rpm`, and gives the record of it. */
  take(entity: string, tokens: number, atMs = AT_MS, namespaceId = 'n1'): LambdaStreamRecord {
    return this.#count(`${namespaceId}/${entity}`, `${namespaceId}/b/${entity}/0`, 'gpt-4', tokens, atMs);
  }

  /** Records an event of so many tokens of the limit `rpm`, and gives the record of the meter that counts it. */
  bill(entity: string, tokens: number, atMs = AT_MS): LambdaStreamRecord {
    return this.#count(`meter of ${entity}`, `n1/v/${entity}/gpt-4`, 'm/0', tokens, atMs);
  }

  #count(name: string, partition: string, sort: string, tokens: number, atMs: number): LambdaStreamRecord {
    const oldImage = this.#items.get(name);
    const [base, nowUs] = [counterBase(atMs * 1_000), atMs * 1_000];
    const before = (attribute: string, first: bigint): bigint => BigInt(oldImage?.[attribute]?.['N' as never] ?? first);
    const newImage: WireItem = {
      PK: { S: partition },
      SK: { S: sort },
      v: { N: '1' },
      o: { N: String(before('o', BigInt(nowUs))) },
      seq: { N: String(before('seq', BigInt(nowUs)) + 1n) },
      't.rpm': { N: String(nowUs) },
      'u.rpm': { N: String(before('u.rpm', base) + BigInt(tokens)) },
      'r.rpm': { N: String(before('r.rpm', base)) },
    };
    this.#items.set(name, newImage);
    return this.stream.append({ ...(oldImage === undefined ? {} : { oldImage }), newImage, atMs });
  }

  /** The record of the bucket's expiry. */
  expire(entity: string, atMs = AT_MS): LambdaStreamRecord {
    const oldImage = this.#items.get(`n1/${entity}`) ?? {};
    this.#items.delete(`n1/${entity}`);
    return this.stream.append({ oldImage, atMs, isExpiry: true });
  }
}

/** A record that says it is a bucket's, and cannot be read. */
export function poison(stream: MemoryStream): LambdaStreamRecord {
  return stream.append({ newImage: { PK: { S: 'n1/b/poison/0' }, SK: { S: 'gpt-4' }, 't.rpm': { N: '1' }, seq: { N: '1' } }, atMs: AT_MS });
}

/** Notes what it is told. */
export class NotedMetrics implements Metrics, SealMetrics {
  readonly batches: BatchFigures[] = [];
  readonly rounds: SealFigures[] = [];
  readonly troubles: Trouble[] = [];
  readonly ledgers: LedgerFigures[] = [];
  readonly found: FoundInLedger[] = [];

  figures(figures: BatchFigures): void {
    this.batches.push(figures);
  }

  seals(figures: SealFigures): void {
    this.rounds.push(figures);
  }

  ledger(figures: LedgerFigures): void {
    this.ledgers.push(figures);
  }

  finding(found: FoundInLedger): void {
    this.found.push(found);
  }

  trouble(trouble: Trouble): void {
    this.troubles.push(trouble);
  }

  sum(figure: keyof BatchFigures): number {
    return this.batches.reduce((sum, batch) => sum + (batch[figure] ?? 0), 0);
  }
}

/** A store whose writes fail, or take their time, as a test says. */
class TroubledWindows implements WindowStore {
  readonly store = new MemoryWindowStore();
  readonly tried: WindowChange[] = [];
  before: (change: WindowChange) => void | Promise<void> = () => undefined;

  async widen(change: WindowChange): Promise<'written' | 'known'> {
    this.tried.push(change);
    await this.before(change);
    return this.store.widen(change);
  }

  /** What an entity used of `rpm` in all windows of a type. */
  used(entity: string, type: WindowType): number {
    return usedIn(this.store, entity, type);
  }
}

/** Marks in memory, which fail as a test says. */
export class NotedMarks implements PeriodMarks {
  readonly types = ['day', 'month'] as const;
  readonly periods: OpenPeriod[] = [];
  before: (period: OpenPeriod) => void = () => undefined;

  async mark(period: OpenPeriod): Promise<void> {
    this.before(period);
    this.periods.push(period);
  }
}

/** What an entity used of `rpm` in all windows of a type. */
function usedIn(store: MemoryWindowStore, entity: string, type: WindowType): number {
  const windows = store.windows().filter(({ ref }) => ref.bucket.entity === entity && ref.type === type);
  return Number(totalUsage(windows).get('rpm')?.net ?? 0n);
}

/** A handler over memory. */
export function worldOf(parts: Partial<HandlerParts> = {}, options: HandlerOptions = {}) {
  const windows = new TroubledWindows();
  const metrics = new NotedMetrics();
  const handler = makeHandler({
    windows,
    zones: { zoneOf: async () => 'UTC' },
    metrics,
    clock: { nowMs: () => AT_MS + 2_000 },
    ...parts,
    options,
  });
  const invoke = async (records: readonly unknown[], remainingMs: () => number = () => 60_000): Promise<readonly string[]> => {
    const { batchItemFailures } = await handler({ Records: records }, { getRemainingTimeInMillis: remainingMs });
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  return { windows, metrics, handler, invoke };
}

/** How records are named in an answer. */
export function sequences(...records: readonly LambdaStreamRecord[]): readonly string[] {
  return records.map(({ dynamodb }) => dynamodb.SequenceNumber);
}
