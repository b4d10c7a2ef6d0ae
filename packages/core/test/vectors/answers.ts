import type * as Core from '../../src/index.js';
import type { Limit } from '../../src/index.js';

/** The core under test: the sources, or a bundle of them in a runtime that has nothing else. */
export type CoreModule = typeof Core;

/** A golden vector: what is handed in, and what must come out, to the letter. */
export interface Vector {
  readonly name: string;
  readonly given: unknown;
  readonly then: unknown;
}

/** The kinds of vectors, each in a file of its own beside this one, and what gives their answers. */
export const ANSWERS: Readonly<Record<string, (core: CoreModule, given: never) => unknown>> = {
  'bucket-writes': writeRequest,
  'bucket-items': stateOfItem,
  decisions: decide,
};

export function answersTo(core: CoreModule, kind: string, vectors: readonly Vector[]): unknown[] {
  const answer = ANSWERS[kind];
  if (answer === undefined) throw new Error(`no answers to ${kind}`);
  return vectors.map((vector) => answer(core, vector.given as never));
}

/** A write as JSON can say it: without maps. */
type PlainReshape =
  | Exclude<Core.Reshape, { form: 'birth' }>
  | { readonly form: 'birth'; readonly to: number; readonly seeds: Record<string, Core.Seed> };
type PlainWrite = Omit<Core.BucketWrite, 'reshape'> & { readonly reshape?: PlainReshape };

function writeRequest(core: CoreModule, { table, write }: { readonly table: string; readonly write: PlainWrite }): unknown {
  const { reshape, ...rest } = write;
  if (reshape === undefined) return core.bucketWriteRequest(table, rest);
  const step = reshape.form === 'birth' ? { ...reshape, seeds: new Map(Object.entries(reshape.seeds)) } : reshape;
  return core.bucketWriteRequest(table, { ...rest, reshape: step });
}

function stateOfItem(core: CoreModule, given: Core.WireItem): unknown {
  try {
    const { limits, seq, configVersion, ttlSec, requestIds, seeds, ...layout } = core.bucketFromItem(given);
    // JSON knows neither maps nor whole numbers beyond 53 bits.
    const written = [...limits].map(([name, state]) => [name, { ...state, used: `${state.used}`, returned: `${state.returned}` }]);
    return {
      limits: Object.fromEntries(written),
      seq,
      configVersion: configVersion ?? null,
      ttlSec,
      ...layout,
      ...(requestIds === undefined ? {} : { requestIds: Object.fromEntries(requestIds) }),
      ...(seeds === undefined ? {} : { seeds: Object.fromEntries(seeds) }),
    };
  } catch (error) {
    if (!core.isMillraceError(error)) throw error;
    return { code: error.code, message: error.message };
  }
}

interface Question {
  readonly limit: Limit;
  readonly tatUs: number | null;
  readonly nowUs: number;
  readonly tokens: number;
}

function decide(core: CoreModule, { limit, tatUs, nowUs, tokens }: Question): unknown {
  const timing = core.timingOf(core.Limit.of(limit));
  const [seenUs, chargeUs] = [tatUs ?? undefined, core.debitUs(timing, tokens)];
  const form = core.formFor(timing, seenUs, nowUs, chargeUs);
  return {
    timing,
    chargeUs,
    form: form ?? null,
    move: form === undefined ? null : core.takeMove(limit.name, timing, form, tokens, chargeUs, nowUs),
    guess: core.guessForm(timing, seenUs, 0.3, nowUs, chargeUs),
    available: core.availableTokens(timing, seenUs, nowUs),
    waitMs: core.waitMs(timing, seenUs, nowUs, chargeUs),
  };
}
