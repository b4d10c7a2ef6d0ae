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

function writeRequest(core: CoreModule, given: { readonly table: string; readonly write: Core.BucketWrite }): unknown {
  return core.bucketWriteRequest(given.table, given.write);
}

function stateOfItem(core: CoreModule, given: Core.WireItem): unknown {
  try {
    const { limits, seq, configVersion, ttlSec } = core.bucketFromItem(given);
    // JSON knows neither maps nor whole numbers beyond 53 bits.
    const written = [...limits].map(([name, state]) => [name, { ...state, used: `${state.used}`, returned: `${state.returned}` }]);
    return { limits: Object.fromEntries(written), seq, configVersion: configVersion ?? null, ttlSec };
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
