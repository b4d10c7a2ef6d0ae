import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Limit, RateLimiter, type RateLimiterOptions } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { FakeRuntime, launchEngine } from '@millrace/testing';
import { Meter } from './meter.js';

/** The resource whose limits are wide enough that only what is meant to be refused is. */
export const RESOURCE = 'model';
/** A resource on which a bucket holds little, and gets nothing back while a bench runs. */
export const SCARCE = 'scarce';
/** What an acquire takes. */
export const AMOUNTS = { rpm: 1, tpm: 800 };
/** The two limits of the scenarios: an acquire keeps a bucket busy for a tenth of a second. */
export const LIMITS = [Limit.perMinute('rpm', 600), Limit.perMinute('tpm', 1_000_000)];
const SCARCE_LIMITS = [Limit.perDay('rpm', 1), Limit.perDay('tpm', 800)];

/** A local engine with a table, a clock under the bench's hand, and a meter on every request of its limiters. */
export interface Ground {
  readonly meter: Meter;
  readonly runtime: FakeRuntime;
  /** The name of the engine and its version. */
  readonly engine: string;
  /** Opens a limiter, as a process of its own would. What opening costs is not counted. */
  open(options?: Partial<RateLimiterOptions>): Promise<RateLimiter>;
  close(): Promise<void>;
}

const TABLE = 'millrace-cost';

/** Prepares the ground: the engine, its table, and the stored limits. */
export async function prepareGround(seed: number): Promise<Ground> {
  const engine = await launchEngine();
  const { endpoint, region, credentials } = engine;
  const client = new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 1 });
  const limiters: RateLimiter[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(limiters.map((limiter) => limiter.close()));
    client.destroy();
    await engine.close();
  };
  try {
    const runtime = new FakeRuntime({ seed });
    const meter = new Meter();
    await createTable({ table: TABLE, endpoint, region, credentials });
    meter.attach(client);
    const ground: Ground = {
      meter,
      runtime,
      engine: engine.name,
      open: (options = {}) =>
        meter.uncounted(async () => {
          const limiter = await RateLimiter.open({ table: TABLE, client, clock: runtime.clock, configTtlMs: 3_600_000, ...options });
          limiters.push(limiter);
          return limiter;
        }),
      close,
    };
    const admin = await ground.open();
    await meter.uncounted(async () => {
      await admin.limits.setResource(RESOURCE, LIMITS);
      await admin.limits.setResource(SCARCE, SCARCE_LIMITS);
    });
    return ground;
  } catch (error) {
    await close();
    throw error;
  }
}
