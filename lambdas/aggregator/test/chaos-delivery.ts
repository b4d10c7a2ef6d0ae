import { makeHandler } from '@millrace/aggregator-lambda';
import type { WindowStore } from '@millrace/ledger';
import {
  type BatchResponse,
  FakeRuntime,
  type LambdaContext,
  type LambdaStreamRecord,
  type PumpCheckpoints,
  PumpCrash,
  type StreamHandler,
  StreamPump,
} from '@millrace/testing';
import { NotedMetrics } from './batch-world.js';
import { LaggingStream } from './lagging-stream.js';
import { TroubledStore } from './troubled-store.js';

const SHARDS = 4;
const CHANCES = { pumpDies: 0.05, functionDies: 0.12, zoneFails: 0.02, comesAgain: 0.05 };
/** More than a batch mostly makes, so that some functions die when all is written. */
const MOST_WRITES_OF_A_LIFE = 150;
const MOST_OLD_RECORDS = 100;
const BATCH_SIZES = [20, 100];
/** Lambda repeats until a record is a day old; what is given up here would be lost. */
const RETRIES = 1_000;

const KINDS = [
  'invocations',
  'pumpDiedBefore',
  'pumpDiedAfter',
  'diedBeforeWrites',
  'diedAmidWrites',
  'diedAfterWrites',
  'failedWrites',
  'lostReplies',
  'failedZones',
  'halved',
  'partialAnswers',
  'oldBatches',
] as const;

/** What happened, and how often. */
export type Met = Record<(typeof KINDS)[number], number>;

/** Nothing has happened yet. */
export function nothingMet(): Met {
  return Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Met;
}

/**
 * Brings records into windows by the pump and the handler, while pumps and functions die, writes and reads fail, replies are
 * lost, shards run apart and old batches come again, until all records are delivered. The store is all that outlives a death.
 */
export async function deliverInChaos(
  records: readonly LambdaStreamRecord[],
  windows: WindowStore,
  zone: string,
  { seed, factor, met }: { readonly seed: number; readonly factor: number; readonly met: Met },
): Promise<void> {
  const { random } = new FakeRuntime({ seed });
  const happens = (chance: number): boolean => random() < chance;
  const source = new LaggingStream(records, SHARDS, random);
  const handled: LambdaStreamRecord[] = [];

  /** One life of the function. */
  const invoke: StreamHandler = async (event, context) => {
    const life = happens(CHANCES.functionDies) ? Math.floor(random() * random() * MOST_WRITES_OF_A_LIFE) : Number.POSITIVE_INFINITY;
    const store = new TroubledStore(windows, random, met, life);
    const zoneOf = async (): Promise<string> => {
      if (!happens(CHANCES.zoneFails)) return zone;
      met.failedZones += 1;
      throw new Error('the table is busy');
    };
    const handler = makeHandler({ windows: store, zones: { zoneOf }, metrics: new NotedMetrics(), clock: { nowMs: () => 0 } });
    const answer = await handler(event, context);
    // A function that was to die and had nothing more to write dies before it can answer.
    if (life === Number.POSITIVE_INFINITY) return answer;
    met[store.written === 0 ? 'diedBeforeWrites' : store.isDead ? 'diedAmidWrites' : 'diedAfterWrites'] += 1;
    throw new Error('the function has died');
  };

  /** Records that were delivered before come again, beside all else: as if a pump did not know that it was replaced. */
  const comeAgain = async (context: LambdaContext): Promise<void> => {
    if (handled.length === 0 || !happens(CHANCES.comesAgain)) return;
    met.oldBatches += 1;
    const from = Math.floor(random() * handled.length);
    await invoke({ Records: handled.slice(from, from + 1 + Math.floor(random() * MOST_OLD_RECORDS)) }, context).catch(() => undefined);
  };

  const handler: StreamHandler = async (event, context) => {
    met.invocations += 1;
    const again = comeAgain(context);
    handled.push(...event.Records);
    const answer = await invoke(event, context).catch((error: Error) => error);
    await again;
    const done = answer instanceof Error ? 0 : event.Records.findIndex(isFirstFailed(answer));
    if (done > 0) met.partialAnswers += 1;
    if (done === 0 && event.Records.length > 1) met.halved += 1;
    if (answer instanceof Error) throw answer;
    return answer;
  };

  const dies = (moment: 'before' | 'after'): boolean => {
    if (!happens(CHANCES.pumpDies / factor)) return false;
    met[moment === 'before' ? 'pumpDiedBefore' : 'pumpDiedAfter'] += 1;
    return true;
  };
  const checkpoints: PumpCheckpoints = new Map();
  while (!source.isAtEnd(checkpoints)) {
    const batchSize = BATCH_SIZES[Math.floor(random() * BATCH_SIZES.length)] ?? 100;
    const rules = { batchSize, parallelizationFactor: factor, maximumRetryAttempts: RETRIES };
    await new StreamPump({ ...rules, source, handler, checkpoints, dies, nowMs: () => 0 }).drain().catch((error: unknown) => {
      if (!(error instanceof PumpCrash)) throw error;
    });
  }
}

function isFirstFailed(answer: BatchResponse | undefined): (record: LambdaStreamRecord) => boolean {
  const first = answer?.batchItemFailures?.[0]?.itemIdentifier;
  return ({ dynamodb }) => dynamodb.SequenceNumber === first;
}
