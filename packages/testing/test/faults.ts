/** A defect put into one source on purpose. */
export interface Fault {
  readonly name: string;
  /** The invariant that the simulator must find broken; any, if it is not said. */
  readonly breaks?: string;
  /** How processes of all worlds take ahead; as it is drawn, if it is not said. */
  readonly prefetch?: { readonly lifetimeMs: number };
  readonly edits: readonly Edit[];
}

export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Those that single worlds find. */
export const faults: readonly Fault[] = [
  {
    name: 'the dead-band is not paid for by a smaller tolerance',
    edits: [
      {
        file: 'packages/core/src/timing.ts',
        from: 'toleranceUs + roundingUs - Math.max(0, deadBandUs - freeUs)',
        to: 'toleranceUs + roundingUs',
      },
    ],
  },
  {
    name: 'what levels took is given back twice',
    edits: [
      {
        file: 'packages/limiter/src/engine/cascade.ts',
        from: 'await Promise.all(taken.map((result) => giveBackShares(parts, result)));',
        to: 'await Promise.all([...taken, ...taken].map((result) => giveBackShares(parts, result)));',
      },
    ],
  },
  {
    name: 'a request that fits exactly counts as exhausted, and exhaustion is tried again',
    edits: [
      {
        file: 'packages/core/src/arrival.ts',
        from: 'tatUs > latestUs(timing, nowUs, chargeUs, waitUs)',
        to: 'tatUs >= latestUs(timing, nowUs, chargeUs, waitUs)',
      },
      {
        file: 'packages/limiter/src/engine/take.ts',
        from: 'const end = endOf(level, outcome, nowUs);',
        to: "const found = endOf(level, outcome, nowUs); const end = attempt <= 3 && found?.kind === 'exhausted' ? undefined : found;",
      },
    ],
  },
  {
    name: 'a bucket does not check that the writer knows its lineage',
    edits: [
      {
        file: 'packages/testing/src/memory-store.ts',
        from: 'old.configVersion > write.configVersion) return false;',
        to: 'old.configVersion > write.configVersion) return true;',
      },
    ],
  },
  {
    name: 'the idle form takes a bucket for full that may lag by the dead-band',
    edits: [{ file: 'packages/core/src/bucket.ts', from: 'toUs: Math.min(nowUs, toUs)', to: 'toUs: nowUs' }],
  },
  {
    name: 'a bucket does what it has done already',
    breaks: 'I5',
    edits: [
      {
        file: 'packages/testing/src/memory-store.ts',
        from: 'if (hasApplied(old, write.request) || !mayReshape(write, old)) return false;',
        to: 'if (!mayReshape(write, old)) return false;',
      },
    ],
  },
  {
    name: 'a credit goes again when its reply is lost',
    breaks: 'I6',
    edits: [{ file: 'packages/limiter/src/engine/send.ts', from: "isNamed ? 'unknown' : 'no'", to: "'unknown'" }],
  },
  {
    name: 'a proof of exhaustion never ages',
    breaks: 'I14',
    edits: [{ file: 'packages/limiter/src/engine/item-proof.ts', from: 'const PROOF_US = 1_000_000;', to: 'const PROOF_US = 1e15;' }],
  },
  {
    name: 'a proof of exhaustion holds while its own process gives back',
    breaks: 'I14',
    edits: [
      {
        file: 'packages/limiter/src/engine/knowledge.ts',
        from: 'entry?.seenUs === undefined || entry.returning > 0',
        to: 'entry?.seenUs === undefined',
      },
    ],
  },
  {
    name: 'callers of a group are answered in reverse order',
    breaks: 'I18',
    edits: [
      {
        file: 'packages/limiter/src/engine/bucket-queue.ts',
        from: 'all.filter((waiting) => {',
        to: '[...all].reverse().filter((waiting) => {',
      },
    ],
  },
  {
    name: 'a group takes for one caller more than it was said to fit',
    breaks: 'I18',
    edits: [
      {
        file: 'packages/limiter/src/engine/bucket-queue.ts',
        from: 'const members = new Set(together);',
        to: 'const members = new Set([...together, ...alike.slice(0, together.length + 1)]);',
      },
    ],
  },
  {
    name: 'callers that wait are told before their turn',
    breaks: 'I1',
    edits: [{ file: 'packages/limiter/src/engine/acquirer.ts', from: 'if (waitUs > 0) await', to: 'if (waitUs < 0) await' }],
  },
  {
    name: 'callers that do not wait are admitted ahead of their time',
    breaks: 'I1',
    edits: [{ file: 'packages/limiter/src/engine/plan.ts', from: 'waitMs * 1_000 : 0', to: 'waitMs * 1_000 + 200_000 : 0' }],
  },
  {
    name: 'a new item of a split begins full',
    breaks: 'I12',
    edits: [
      { file: 'packages/limiter/src/engine/reshaper.ts', from: '(shard < half ? undefined : source.seeds) ?? NO_SEEDS', to: 'NO_SEEDS' },
    ],
  },
  {
    name: 'a merge forgets what the item that goes lacked',
    breaks: 'I12',
    edits: [
      {
        file: 'packages/limiter/src/engine/reshaper.ts',
        from: "reshape.form === 'absorb' ? absorbMoves(seen, retired, nowUs) : []",
        to: "reshape.form === 'absorb' ? absorbMoves(seen, retired, nowUs).slice(99) : []",
      },
    ],
  },
  {
    name: 'whoever has not heard of a split goes on taking as if there had been none',
    breaks: 'I12',
    edits: [
      {
        file: 'packages/limiter/src/engine/take.ts',
        from: 'write: { ref, nowUs, ttlSec, layout, configVersion,',
        to: 'write: { ref, nowUs, ttlSec, configVersion,',
      },
    ],
  },
  {
    name: 'a change of a rate keeps the time to full',
    breaks: 'I16',
    edits: [
      { file: 'packages/core/src/scale.ts', from: 'const toTatUs = inScale(held, timing, nowUs);', to: 'const toTatUs = held.tatUs;' },
    ],
  },
  {
    name: 'a change of a rate forgives what is missing beyond the new capacity',
    breaks: 'I16',
    edits: [
      {
        file: 'packages/core/src/scale.ts',
        from: "const missingUs = convert(held.tatUs - nowUs, held.scale, timing.scale, 'up');",
        to: "const missingUs = Math.min(convert(held.tatUs - nowUs, held.scale, timing.scale, 'up'), timing.toleranceUs);",
      },
    ],
  },
  {
    name: 'a bucket takes a distance of another rate for one of its own',
    breaks: 'I16',
    edits: [
      {
        file: 'packages/testing/src/memory-store.ts',
        from: 'scale === undefined || old.scale === undefined || old.scale === scale',
        to: 'true || scale === old.scale',
      },
    ],
  },
  {
    name: 'far more is taken ahead than is asked for, and kept for long',
    breaks: 'I1 callers',
    prefetch: { lifetimeMs: 500 },
    edits: [
      { file: 'packages/limiter/src/engine/chunk-size.ts', from: 'lifetimeMs * HORIZON_SHARE', to: 'lifetimeMs * 5_000' },
      { file: 'packages/limiter/src/engine/prefetch.ts', from: '+ this.#settings.lifetimeMs)', to: '+ 5_000 * this.#settings.lifetimeMs)' },
    ],
  },
  {
    name: 'tokens that were taken ahead are given back, and are given out all the same',
    breaks: 'I3',
    edits: [{ file: 'packages/limiter/src/engine/chunk.ts', from: 'this.#isOpen = false;', to: 'this.#isOpen = left.length > 0;' }],
  },
];

/** Those that a comparison of runs with and without a technique finds; `breaks` is what it says then. */
export const differences: readonly Fault[] = [
  {
    name: 'callers behind a large request are refused with it',
    breaks: 'without groupCommit: call',
    edits: [
      {
        file: 'packages/limiter/src/engine/bucket-queue.ts',
        from: 'alike.filter((_, index) => admitted[index] === true)',
        to: 'alike.slice(0, [...admitted, false].indexOf(false))',
      },
      {
        file: 'packages/limiter/src/engine/bucket-queue.ts',
        from: 'left.filter((_, index) => fits[index] === false)',
        to: 'left.slice(fits.includes(false) ? fits.indexOf(false) : left.length)',
      },
    ],
  },
  {
    name: 'a clock is corrected the wrong way',
    breaks: 'with clockCorrection: the clock',
    edits: [
      {
        file: 'packages/limiter/src/engine/corrected-clock.ts',
        from: 'return nowMs + this.#appliedMs;',
        to: 'return nowMs - this.#appliedMs;',
      },
    ],
  },
  {
    name: 'a new item of a split begins full, and the others go on',
    breaks: 'with shards: I12',
    edits: [
      { file: 'packages/limiter/src/engine/reshaper.ts', from: '(shard < half ? undefined : source.seeds) ?? NO_SEEDS', to: 'NO_SEEDS' },
    ],
  },
];
