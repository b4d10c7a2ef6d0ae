import type { Clock, Limit, Random, Sleep } from '../../src/index.js';
import type { CoreModule } from '../vectors/answers.js';
import { TinyStore } from './tiny-store.js';

export { answersTo } from '../vectors/answers.js';

type Amounts = Readonly<Record<string, number>>;

/** As much of the engine as the scenario uses: this package may not import the one that depends on it. */
export interface EngineModule {
  readonly Engine: new (options: {
    readonly store: TinyStore;
    readonly namespaceId: string;
    readonly clock: Clock;
    readonly sleep: Sleep;
    readonly random: Random;
    readonly deadlineMs: number;
    readonly configTtlMs: number;
    readonly maxEntries: number;
  }) => Engine;
}

interface Engine {
  acquire(entity: string, resource: string, amounts: Amounts, options: { readonly limits: readonly Limit[] }): Promise<Lease>;
  available(entity: string, resource: string, options: { readonly limits: readonly Limit[] }): Promise<Amounts>;
}

interface Lease {
  readonly consumed: Amounts;
  readonly remaining: Amounts;
  adjust(deltas: Amounts): Promise<void>;
  release(): Promise<void>;
}

/** Acquires below a parent, adjusts, is refused, and gives back; says what it saw on the way. */
export async function acquireAdjustRelease(core: CoreModule, { Engine }: EngineModule): Promise<unknown> {
  const parent = core.newEntity('project-1', undefined, false, undefined, 1);
  const engine = new Engine({
    store: new TinyStore([parent, core.newEntity('key-1', parent, true, undefined, 2)]),
    namespaceId: 'n1',
    clock: { nowMs: () => 1_800_000_000_000 },
    sleep: async () => {},
    random: () => 0.5,
    deadlineMs: 1_000,
    configTtlMs: 60_000,
    maxEntries: 10,
  });
  const limits = [core.Limit.perMinute('rpm', 10), core.Limit.perMinute('tpm', 1_000, { reserve: 0 })];

  const lease = await engine.acquire('key-1', 'gpt-4', { rpm: 1, tpm: 800 }, { limits });
  const acquired = { consumed: lease.consumed, remaining: lease.remaining };
  await lease.adjust({ tpm: 150 });
  const adjusted = { consumed: lease.consumed, remaining: lease.remaining };
  const refusal = await engine.acquire('key-1', 'gpt-4', { tpm: 51 }, { limits }).catch(describeRefusal);
  const parentHas = await engine.available('project-1', 'gpt-4', { limits });
  await lease.release();
  return { acquired, adjusted, refusal, parentHas, released: await engine.available('key-1', 'gpt-4', { limits }) };
}

function describeRefusal(error: { readonly code: string; readonly retryAfterMs: number; headers(): unknown }): unknown {
  return { code: error.code, retryAfterMs: error.retryAfterMs, headers: error.headers() };
}
