import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { type Clock, ValidationError, WINDOW_TYPES, type WindowType } from '@millrace/core';
import { administrationOver } from '@millrace/limiter/admin';
import { EmfMetrics } from '../emf.js';
import type { Environment } from '../environment.js';
import { type Handler, makeHandler } from '../handler.js';
import { makeSealer, type Sealer } from '../sealer.js';
import { SplitHints } from '../split-hints.js';
import { ThresholdWatch } from '../threshold-watch.js';
import { DynamoHints } from './dynamo-hints.js';
import { DynamoMarks } from './dynamo-marks.js';
import { DynamoLimits, DynamoUsage, DynamoZones } from './dynamo-readers.js';
import { DynamoWindowStore } from './dynamo-windows.js';
import { EventBridgeSink } from './event-bridge.js';
import { S3Archive } from './s3-archive.js';
import { Sender } from './sender.js';

const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now() };

/** Clients and places that a test replaces; what is left out is AWS's own, by the usual chain. */
export interface AwsParts {
  readonly dynamo?: DynamoDBClient;
  /** Where DynamoDB is, for a client that is made here: of an engine that runs on this machine. */
  readonly connection?: Pick<DynamoDBClientConfig, 'endpoint' | 'region' | 'credentials'>;
  /** Sends what goes to S3. */
  readonly fetch?: typeof fetch;
  readonly eventBridge?: Pick<EventBridgeClient, 'send'>;
  readonly write?: (line: string) => void;
  readonly clock?: Clock;
}

/** The handler with everything that it needs of AWS. It sends nothing before it is invoked. */
export function awsHandler(environment: Environment, parts: AwsParts = {}): Handler {
  const { table, options, retention, requestTimeoutMs, auditBucket, thresholdRatio, eventBus, seals, hintFromPerSec } = environment;
  const clock = parts.clock ?? SYSTEM_CLOCK;
  const dynamo = dynamoOf(environment, parts);
  const sender = new Sender(dynamo, requestTimeoutMs);
  const events =
    eventBus === undefined ? undefined : new EventBridgeSink(parts.eventBridge ?? new EventBridgeClient({}), eventBus, requestTimeoutMs);
  const thresholds =
    thresholdRatio === undefined
      ? undefined
      : new ThresholdWatch({
          ratio: thresholdRatio,
          limits: new DynamoLimits(sender, table, clock),
          usage: new DynamoUsage(sender, table),
          ...(events === undefined ? {} : { events }),
          atOnce: options.applyConcurrency,
          windowTypes: options.windowTypes,
        });
  const windows = new DynamoWindowStore(sender, table, retention, longestOf(options.windowTypes));
  return makeHandler({
    windows,
    takeGaps: () => windows.takeGaps(),
    zones: new DynamoZones(sender, table, clock),
    ...(auditBucket === undefined ? {} : { archive: s3Archive(environment, auditBucket, clock, parts.fetch) }),
    ...(thresholds === undefined ? {} : { thresholds }),
    ...(hintFromPerSec === undefined
      ? {}
      : {
          hints: new SplitHints({
            store: new DynamoHints(sender, table, clock),
            fromPerSec: hintFromPerSec,
            atOnce: options.applyConcurrency,
          }),
        }),
    ...(seals === undefined ? {} : { periods: new DynamoMarks(sender, table, seals.types, clock) }),
    metrics: metricsOf(environment, parts, clock),
    takeThrottles: () => sender.takeThrottles(),
    clock,
    options,
  });
}

function longestOf(types: readonly WindowType[]): WindowType | undefined {
  return WINDOW_TYPES.filter((type) => types.includes(type)).at(-1);
}

/**
 * The function that seals, with everything that it needs of AWS.
 *
 * @throws ValidationError if the environment names no type of window that is to be sealed
 */
export function awsSealer(environment: Environment, parts: AwsParts = {}): Sealer {
  const { table, options, requestTimeoutMs, retention, seals } = environment;
  if (seals === undefined) throw new ValidationError('variable MILLRACE_SEAL_TYPES', 'set for a function that a schedule invokes', seals);
  const clock = parts.clock ?? SYSTEM_CLOCK;
  return makeSealer({
    administration: administrationOver({
      client: dynamoOf(environment, parts),
      table,
      requestTimeoutMs,
      deadlineMs: requestTimeoutMs,
      nowMs: () => clock.nowMs(),
    }),
    metrics: metricsOf(environment, parts, clock),
    ...(seals.checksLedger ? { checks: { types: options.windowTypes, retention } } : {}),
    options: { lateMs: seals.lateMs, reserveMs: options.reserveMs },
  });
}

function dynamoOf({ options }: Environment, { dynamo, connection }: AwsParts): DynamoDBClient {
  const sockets = { maxSockets: options.applyConcurrency };
  return (
    dynamo ?? new DynamoDBClient({ ...connection, requestHandler: { connectionTimeout: 1_000, httpsAgent: sockets, httpAgent: sockets } })
  );
}

function metricsOf({ metricsNamespace, table }: Environment, parts: AwsParts, clock: Clock): EmfMetrics {
  // Not by console.log: Lambda puts words of its own before each of its lines.
  const write = parts.write ?? ((line: string) => void process.stdout.write(`${line}\n`));
  return new EmfMetrics({ metricsNamespace, table, clock, write });
}

function s3Archive(environment: Environment, bucket: string, clock: Clock, send: typeof fetch | undefined): S3Archive {
  const { region, s3Endpoint, requestTimeoutMs: timeoutMs } = environment;
  return new S3Archive({
    bucket,
    region,
    credentials: fromEnv(),
    timeoutMs,
    clock,
    ...(s3Endpoint === undefined ? {} : { endpoint: s3Endpoint }),
    ...(send === undefined ? {} : { fetch: send }),
  });
}
