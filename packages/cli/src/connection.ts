import type { RateLimiter } from '@millrace/limiter';
import type { OpenNamespaces } from '@millrace/limiter/admin';
import { connectionOf, tableOf } from './globals.js';
import type { Session } from './session.js';

/** An operator would rather wait than be told that one request was slow. */
const TIMES = { requestTimeoutMs: 5_000, deadlineMs: 15_000 } as const;

/**
 * Opens a limiter for one piece of work, and closes it whatever comes of it. Opening creates nothing: a namespace that is
 * not registered, perhaps because its name is mistyped, is an error. The SDK is loaded only here, so that `--help` is quick.
 */
export async function withLimiter<T>({ globals }: Pick<Session, 'globals'>, work: (limiter: RateLimiter) => Promise<T>): Promise<T> {
  const { namespace, actor } = globals;
  const options = { table: tableOf(globals), namespace, actor, ...TIMES, ...connectionOf(globals) };
  const { RateLimiter } = await import('@millrace/limiter');
  const limiter = await RateLimiter.open(options);
  try {
    return await work(limiter);
  } finally {
    await limiter.close();
  }
}

/** The same with the registry of the table, which needs no namespace to be opened. */
export async function withRegistry<T>({ globals }: Pick<Session, 'globals'>, work: (registry: OpenNamespaces) => Promise<T>): Promise<T> {
  const options = { table: tableOf(globals), actor: globals.actor, ...TIMES, ...connectionOf(globals) };
  const { openNamespaces } = await import('@millrace/limiter/admin');
  const registry = await openNamespaces(options);
  try {
    return await work(registry);
  } finally {
    await registry.close();
  }
}
