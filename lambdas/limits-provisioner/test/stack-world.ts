import { ATTRIBUTE, type Sleep } from '@millrace/core';
import type { Item, ItemTable } from '@millrace/limiter/admin';
import { type InspectReport, makeProvisioner, type ProvisionerParts } from '@millrace/limits-provisioner-lambda';
import { limitsWorld } from '../../../packages/limiter/test/limits-world.js';

const TABLE = 'limits-table';
const STACK = 'arn:aws:cloudformation:eu-central-1:123456789012:stack/Limits/4f1c';

/** What CloudFormation is told. */
export interface Answer {
  readonly Status: 'SUCCESS' | 'FAILED';
  readonly Reason?: string;
  readonly PhysicalResourceId: string;
  readonly RequestId: string;
  readonly Data?: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** A table in memory, the function that looks after its limits, and a stack that invokes it. */
export class StackWorld {
  readonly limits = limitsWorld();
  /** The answers as they were sent. */
  readonly sent: string[] = [];
  readonly lines: Fields[] = [];
  /** What the next invocations meet instead of the table. */
  items: ItemTable = this.limits.parts.items;
  opening: () => void = () => undefined;
  remainingMs = 300_000;
  readonly #waiting: (() => void)[] = [];
  #requests = 0;

  readonly #sleep: Sleep = (ms, signal) => {
    if (signal === undefined) {
      this.limits.nowMs += ms;
      this.remainingMs -= ms;
      return Promise.resolve();
    }
    // Only what guards against a hang can be aborted: it waits until a test lets the time pass.
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      signal.addEventListener('abort', resolve);
    });
  };

  readonly #parts: ProvisionerParts = {
    home: () => ({ table: TABLE, namespace: 'default', manifest: 'm' }),
    open: async (_, { actor }) => {
      this.opening();
      return { parts: { ...this.limits.parts, items: this.items, actor }, close: async () => undefined };
    },
    answer: async (_, text) => void this.sent.push(text),
    log: (entry) => void this.lines.push(entry),
    sleep: this.#sleep,
    clock: { nowMs: () => this.limits.nowMs },
  };
  readonly handler = makeProvisioner(this.#parts);

  invoke(event: unknown): Promise<InspectReport | undefined> {
    return this.handler(event, { getRemainingTimeInMillis: () => this.remainingMs, logGroupName: 'group', logStreamName: 'stream' });
  }

  /** Sends a request, and reads its answer. */
  async request(event: Fields): Promise<Answer> {
    const before = this.sent.length;
    await this.invoke(event);
    if (this.sent.length !== before + 1) throw new Error(`${this.sent.length - before} answers were sent`);
    return this.last();
  }

  last(): Answer {
    return JSON.parse(this.sent.at(-1) ?? '{}') as Answer;
  }

  create(properties: Fields, more: Fields = {}): Fields {
    return { ...this.#envelope('Create'), ResourceProperties: properties, ...more };
  }

  update(physicalId: string, properties: Fields, old: Fields): Fields {
    return { ...this.#envelope('Update'), PhysicalResourceId: physicalId, ResourceProperties: properties, OldResourceProperties: old };
  }

  delete(physicalId: string, properties: Fields, more: Fields = {}): Fields {
    return { ...this.#envelope('Delete'), PhysicalResourceId: physicalId, ResourceProperties: properties, ...more };
  }

  /** All the time of an invocation passes at once. */
  timeUp(): void {
    this.remainingMs = 0;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** All that people and applies can see of the limits: what they are, whose, and the lists that lead to them. */
  seen(): readonly unknown[] {
    const { partitionKey, sortKey, limits, managedBy, onUnavailable, policyManagedBy } = ATTRIBUTE;
    const isShown = (item: Item): boolean =>
      !/[/]a($|[/])/.test(String(item[partitionKey])) && item[sortKey] !== 'lock' && (item[sortKey] !== 'stack' || 'resource' in item);
    return this.limits.table
      .items()
      .filter((item) => isShown(item) && item[ATTRIBUTE.deleted] === undefined)
      .map((item) =>
        [partitionKey, sortKey, limits, managedBy, onUnavailable, policyManagedBy, 'manifest', 'resource'].map(
          (name) => item[name] ?? null,
        ),
      )
      .sort();
  }

  #envelope(type: string): Fields {
    this.#requests += 1;
    return {
      RequestType: type,
      ResponseURL: 'https://cloudformation.example/answer?signature=secret',
      StackId: STACK,
      RequestId: `request-${this.#requests}`,
      LogicalResourceId: 'Limits',
      ResourceType: 'Custom::MillraceLimits',
    };
  }
}

/** The properties of the resource. */
export function properties(manifest: unknown, more: Fields = {}): Fields {
  return {
    ServiceToken: 'arn:aws:lambda:eu-central-1:123456789012:function:limits',
    ServiceTimeout: '960',
    Table: TABLE,
    Namespace: 'default',
    Manifest: typeof manifest === 'string' ? manifest : JSON.stringify({ name: 'm', ...(manifest as object) }),
    ...more,
  };
}

/** So many entities that an apply takes several transactions. */
export function entities(limit: string, from: number, to: number): Record<string, unknown> {
  const names = Array.from({ length: to - from }, (_, index) => `key-${index + from}`);
  return Object.fromEntries(names.map((name) => [name, { default: [limit] }]));
}
