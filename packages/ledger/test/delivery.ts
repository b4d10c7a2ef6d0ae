import { ATTRIBUTE, textAt } from '@millrace/core';
import { type BucketStep, reduceSteps, type StreamRecord, stepOf, type WindowStore } from '@millrace/ledger';
import type { Dice } from './dice.js';
import { TYPES, zoneOf } from './stream-world.js';

const STREAM_SHARDS = 4;
const LARGEST_BATCH = 100;

/** How often what goes wrong; a crash is of any step: before, amid and after what a batch applies. */
export interface Mishaps {
  readonly crashes: number;
  readonly redeliveries: number;
}

/** What a delivery met, to show that it met it. */
export interface DeliveryCounts {
  batches: number;
  crashes: number;
  bisections: number;
  partials: number;
  redeliveries: number;
}

/**
 * Delivers records as Lambda does: of each shard of the stream `factor` batches at a time, in order per item and nothing
 * more. A batch whose function ends badly comes again, whole, in halves, or from the record on that it names; and old
 * records come again at any time.
 */
export async function deliver(
  records: readonly StreamRecord[],
  store: WindowStore,
  dice: Dice,
  factor: number,
  mishaps: Mishaps,
): Promise<DeliveryCounts> {
  const counts = { batches: 0, crashes: 0, bisections: 0, partials: 0, redeliveries: 0 };
  const lanes = lanesOf(records, factor, dice);
  const delivered: StreamRecord[] = [];
  while (lanes.length > 0) {
    const index = dice.integer(0, lanes.length - 1);
    const lane = lanes[index] as StreamRecord[][];
    const batch = lane.shift();
    if (batch === undefined) lanes.splice(index, 1);
    else lane.unshift(...(await attempt(batch, store, dice, mishaps.crashes, counts)));
    if (batch !== undefined) delivered.push(...batch);
    if (delivered.length > 0 && dice.happens(mishaps.redeliveries)) {
      const from = dice.integer(0, delivered.length - 1);
      await invoke(delivered.slice(from, from + dice.integer(1, LARGEST_BATCH)), store, dice);
      counts.redeliveries += 1;
    }
  }
  return counts;
}

/** Runs the function once; gives what of the batch has to come again, in the batches in which it does. */
async function attempt(
  batch: StreamRecord[],
  store: WindowStore,
  dice: Dice,
  chance: number,
  counts: DeliveryCounts,
): Promise<StreamRecord[][]> {
  counts.batches += 1;
  if (!dice.happens(chance)) {
    await invoke(batch, store, dice);
    return [];
  }
  counts.crashes += 1;
  const middle = Math.ceil(batch.length / 2);
  switch (
    dice.pick([
      [1, 'whole'],
      [1, 'halves'],
      [1, 'partial'],
    ] as const)
  ) {
    case 'whole':
      await invoke(batch, store, dice, dice.integer(0, batch.length * TYPES.length));
      return [batch];
    case 'halves':
      await invoke(batch, store, dice, dice.integer(0, batch.length));
      counts.bisections += batch.length > 1 ? 1 : 0;
      return batch.length > 1 ? [batch.slice(0, middle), batch.slice(middle)] : [batch];
    case 'partial': {
      const failed = dice.integer(0, batch.length - 1);
      await invoke(batch.slice(0, failed), store, dice);
      counts.partials += 1;
      return [batch.slice(failed)];
    }
  }
}

/** The function: parse, reduce, apply; it dies once it has applied so many changes. */
async function invoke(batch: readonly StreamRecord[], store: WindowStore, dice: Dice, dieAfter = Number.POSITIVE_INFINITY): Promise<void> {
  const steps = batch.map(parsed).filter((step) => step !== undefined);
  const changes = dice.shuffled(reduceSteps(steps, zoneOf, TYPES));
  for (const change of changes.slice(0, dieAfter)) await store.widen(change);
}

/** A record says the same each time that it comes, so it is read once. */
function parsed(record: StreamRecord): BucketStep | undefined {
  if (!read.has(record)) read.set(record, stepOf(record));
  return read.get(record);
}

const read = new WeakMap<StreamRecord, BucketStep | undefined>();

/** What is delivered in order: the batches of each lane of each shard; an item is always in the same lane. */
function lanesOf(records: readonly StreamRecord[], factor: number, dice: Dice): StreamRecord[][][] {
  const lanes = new Map<number, StreamRecord[][]>();
  for (const record of records) {
    const image = record.newImage ?? record.oldImage ?? {};
    const key = `${textAt(image, ATTRIBUTE.partitionKey)} ${textAt(image, ATTRIBUTE.sortKey)}`;
    const number = hash(key) % (STREAM_SHARDS * factor);
    const lane = lanes.get(number) ?? [];
    lanes.set(number, lane);
    const last = lane.at(-1);
    if (last === undefined || last.length >= LARGEST_BATCH || dice.happens(0.05)) lane.push([record]);
    else last.push(record);
  }
  return [...lanes.values()];
}

function hash(text: string): number {
  let value = 17;
  for (let index = 0; index < text.length; index += 1) value = (value * 31 + text.charCodeAt(index)) % 1_000_003;
  return value;
}
