import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@millrace/house';
import { Limit, type LimiterStats, type RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordTask } from './event-process.js';
import { FaultyProxy } from './faulty-proxy.js';
import { type OpenTable, openTable } from './open-table.js';

const limits = [Limit.perMinute('rpm', 1_000)];
const BILLING = { resources: ['billed'], maxDelayMs: 60_000 };
const EVER = { from: new Date(0), to: new Date('2200-01-01') };
const here = fileURLToPath(new URL('.', import.meta.url));

let table: OpenTable;
let proxy: FaultyProxy;
beforeAll(async () => {
  table = await openTable();
  proxy = await FaultyProxy.before(String(table.connection.endpoint));
});
afterAll(async () => {
  await table.close();
  await proxy.close();
});

async function take(limiter: RateLimiter, entity: string, options: object = {}): Promise<void> {
  const lease = await limiter.acquire(entity, 'billed', { rpm: 1 }, { limits, ...options });
  await lease.commit();
}

describe('a handler that is wrapped', () => {
  it('ends each invocation with a flush, whether it returns or throws', async () => {
    const limiter = await table.open({ billing: BILLING });
    const entity = 'handled';
    const thrown = new Error('the handler failed');
    const handler = limiter.withFlush(async (event: { readonly fails: boolean }, context: string) => {
      await take(limiter, entity);
      if (event.fails) throw thrown;
      return `${context} done`;
    });
    const pending = (): LimiterStats['events'] => limiter.stats().events;

    expect(await handler({ fails: false }, 'one')).toBe('one done');
    expect(pending()).toMatchObject({ recorded: 1, pending: 0 });
    await expect(handler({ fails: true }, 'two')).rejects.toBe(thrown);
    expect(pending()).toMatchObject({ recorded: 2, pending: 0 });
    expect(() => limiter.withFlush(7 as never)).toThrow('handler');
  });

  it('fails if only its flush does, so that the invocation comes again', async () => {
    const limiter = await table.open({ billing: BILLING, endpoint: proxy.endpoint });
    const entity = 'handled-again';
    const handler = limiter.withFlush(() => take(limiter, entity, { idempotencyKey: 'invocation-1' }));
    // A failure that does not pass by itself ends a flush at once, however long it may take.
    proxy.spoilEach('TransactWriteItems', { kind: 'answer', status: 400, type: 'AccessDeniedException', carriedOut: false });
    await expect(handler()).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    proxy.clear();
    await handler();

    const { events } = await limiter.usage.events({ entity, resource: 'billed', ...EVER });
    expect(events).toMatchObject([{ idempotencyKey: 'invocation-1', amounts: { rpm: 1 } }]);
  });
});

describe('processes that are ended by a signal', () => {
  let script: string;
  beforeAll(async () => {
    script = await bundledProgram(`${here}event-process.ts`);
  });

  /** Commits in a process of its own, and ends that by a signal; gives its exit code or signal. */
  async function endBySignal(task: Omit<RecordTask, 'options'>, flushOn: readonly 'SIGTERM'[]): Promise<unknown> {
    const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-'], {
      cwd: here,
      stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
    });
    child.stdin?.end(script);
    const options = { ...table.connection, billing: { ...BILLING, flushOn } };
    child.send({ ...task, options });
    await once(child, 'message');
    child.kill('SIGTERM');
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return code ?? signal;
  }

  async function keys(): Promise<readonly unknown[]> {
    const limiter = await table.open();
    const { events } = await limiter.usage.events({ entity: 'key-1', resource: 'billed', ...EVER });
    return events.map(({ idempotencyKey }) => idempotencyKey).sort();
  }

  it('lose what waits unless they were told to flush on it; with it, three that commit the same keys leave one event of each', async () => {
    const own = ['a', 'b', 'c', 'd', 'e'];
    expect(await endBySignal({ keys: own, listens: false }, [])).toBe('SIGTERM');
    expect(await keys()).toEqual([]);

    const ends = await Promise.all([0, 1, 2].map(() => endBySignal({ keys: own, listens: false }, ['SIGTERM'])));
    expect(ends).toEqual(['SIGTERM', 'SIGTERM', 'SIGTERM']);
    expect(await keys()).toEqual(own);
  });

  it('leave their end to a listener of their own', async () => {
    expect(await endBySignal({ keys: ['of a listener'], listens: true }, ['SIGTERM'])).toBe(7);
    expect(await keys()).toContain('of a listener');
  });
});

describe('listeners for signals', () => {
  it('are there only while a limiter that asked for them is open, one for all of them', async () => {
    const count = () => process.listenerCount('SIGHUP');
    const before = count();
    const plain = await table.open({ billing: BILLING });
    expect(count()).toBe(before);
    const [one, other] = [
      await table.open({ billing: { ...BILLING, flushOn: ['SIGHUP'] } }),
      await table.open({ billing: { ...BILLING, flushOn: ['SIGHUP', 'SIGHUP'] } }),
    ];
    const scoped = await one.namespace('default');

    expect(count()).toBe(before + 1);
    await scoped.close();
    await one.close();
    expect(count()).toBe(before + 1);
    await other.close();
    await plain.close();
    expect(count()).toBe(before);
  });
});
