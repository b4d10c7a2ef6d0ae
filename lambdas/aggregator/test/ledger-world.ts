import { makeHandler, makeSealer, SCHEDULE_EVENT, type SealerOptions } from '@millrace/aggregator-lambda';
import { ATTRIBUTE, openPeriodKey, sealKey, usageKey, windowAttribute, windowName } from '@millrace/core';
import { DEFAULT_RETENTION, type UsageWindowItem } from '@millrace/ledger';
import type { Item, ItemTable } from '@millrace/limiter/admin';
import { MemoryWindowStore } from '@millrace/testing';
import { AdministeredTable } from './administered-table.js';
import { BucketWorld, NotedMetrics } from './batch-world.js';

const DAY_MS = 86_400_000;
const CONTEXT = { getRemainingTimeInMillis: () => 60_000 };
const CHECKS = { types: ['hour', 'day', 'week', 'month'], retention: DEFAULT_RETENTION } as const;

/** A table whose ledger the aggregator's own handler keeps, but for the records that a test loses, and the rounds that seal it. */
export class LedgerWorld extends AdministeredTable {
  readonly #buckets = new BucketWorld();
  readonly #windows = new MemoryWindowStore();

  constructor() {
    super(Date.parse('2027-05-14T01:00:00Z'));
  }

  /** Uses `gpt-4`, and books it as the function does, its marks included. */
  async use(at: string, entity: string, tokens: number, namespace = 'acme'): Promise<void> {
    const record = this.#buckets.take(entity, tokens, Date.parse(at), this.ids.get(namespace));
    const handler = makeHandler({
      windows: this.#windows,
      zones: { zoneOf: async () => 'UTC' },
      periods: {
        types: ['day', 'month'],
        mark: async (period) => {
          const { partition: PK, sort: SK } = openPeriodKey(period);
          this.table.put({ PK, SK, v: 1 });
        },
      },
      metrics: new NotedMetrics(),
      clock: { nowMs: () => this.nowMs },
    });
    await handler({ Records: [record] }, CONTEXT);
    for (const window of this.#windows.windows()) this.table.put(itemOf(window));
  }

  /** Uses `gpt-4`; the record of it never comes. */
  lose(at: string, entity: string, tokens: number, namespace = 'acme'): void {
    this.#buckets.take(entity, tokens, Date.parse(at), this.ids.get(namespace));
  }

  /** A round that seals, and checks unless it is told not to. */
  invoke(
    round: {
      readonly options?: SealerOptions;
      readonly remainingMs?: () => number;
      readonly items?: ItemTable;
      readonly isOff?: boolean;
    } = {},
  ) {
    const { options = {}, remainingMs = CONTEXT.getRemainingTimeInMillis, items = this.table, isOff = false } = round;
    const sealer = makeSealer({
      administration: this.parts(items),
      metrics: this.metrics,
      ...(isOff ? {} : { checks: CHECKS }),
      options,
    });
    return sealer(SCHEDULE_EVENT, { getRemainingTimeInMillis: remainingMs });
  }

  /** Marks of what is still to be sealed, or to be checked. */
  marks(kind: 'open' | 'unchecked'): readonly string[] {
    return this.table.items().flatMap(({ PK, SK }) => (String(PK).endsWith(`/${kind}`) ? [String(SK)] : []));
  }

  async isSealed(date: string, namespace = 'acme'): Promise<boolean> {
    const [seal] = await this.table.get([sealKey(this.ids.get(namespace) ?? '', 'day', 'gpt-4', Date.parse(date))]);
    return seal !== undefined;
  }

  /** What was found, a line for each. */
  get found(): readonly string[] {
    return this.metrics.found.map(({ namespace, finding: { kind, type, entity, limit, window, net } }) =>
      [namespace, kind, type, entity, limit, window.toISOString().slice(5, 16), net].join(' '),
    );
  }

  /** What all rounds together came to. */
  sum(figure: 'checked' | 'unchecked' | 'gaps' | 'findings'): number {
    return this.metrics.ledgers.reduce((sum, figures) => sum + (figures[figure] ?? 0), 0);
  }

  /** Two days of a few entities, one of which lacks 7 between them. */
  static async lossy(): Promise<LedgerWorld> {
    const world = await new LedgerWorld().register('acme');
    for (const entity of ['a', 'b', 'c']) await world.use('2027-05-11T10:00:00Z', entity, 10);
    world.lose('2027-05-11T22:00:00Z', 'b', 7);
    for (const entity of ['a', 'b', 'c']) await world.use('2027-05-12T10:00:00Z', entity, 1);
    return world;
  }

  /** So many days later. */
  later(days: number): this {
    this.nowMs += days * DAY_MS;
    return this;
  }
}

function itemOf({ ref, seq, limits }: UsageWindowItem): Item {
  const { partition, sort } = usageKey(ref);
  const item: Record<string, unknown> = {
    [ATTRIBUTE.partitionKey]: partition,
    [ATTRIBUTE.sortKey]: sort,
    [ATTRIBUTE.schemaVersion]: 1,
    [ATTRIBUTE.windowName]: windowName(ref),
    [ATTRIBUTE.seqFrom]: seq.from,
    [ATTRIBUTE.seqTo]: seq.to,
  };
  for (const [limit, { used, returned, isBirth }] of limits) {
    item[windowAttribute('usedFrom', limit)] = used.from;
    item[windowAttribute('usedTo', limit)] = used.to;
    item[windowAttribute('returnedFrom', limit)] = returned.from;
    item[windowAttribute('returnedTo', limit)] = returned.to;
    item[windowAttribute('birth', limit)] = isBirth;
  }
  return item;
}
