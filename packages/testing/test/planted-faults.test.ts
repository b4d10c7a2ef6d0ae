import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLimit } from '../src/arbitraries.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A defect put into one source on purpose. */
interface Fault {
  readonly name: string;
  /** The invariant that the simulator must find broken; any, if it is not said. */
  readonly breaks?: string;
  readonly edits: readonly Edit[];
}

interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const faults: readonly Fault[] = [
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
];

/** Bundles an entry with a fault in it; fails if a source no longer has the text that the fault replaces. */
async function load<Module>(entry: string, fault?: Fault): Promise<Module> {
  const planted = new Set<Edit>();
  const plant: Plugin = {
    name: 'plant',
    setup(hooks) {
      hooks.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        let contents = await readFile(path, 'utf8');
        for (const edit of fault?.edits.filter(({ file }) => path.endsWith(file)) ?? []) {
          if (contents.split(edit.from).length !== 2) throw new Error(`${edit.file} does not hold exactly once: ${edit.from}`);
          contents = contents.replace(edit.from, edit.to);
          planted.add(edit);
        }
        return { contents, loader: 'ts' };
      });
    },
  };
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    plugins: [plant],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['@millrace/source'],
  });
  expect(planted.size).toBe(fault?.edits.length ?? 0);
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')}`) as Promise<Module>;
}

type Simulator = typeof import('../src/simulator/index.js');
type Core = typeof import('@millrace/core');

const SEEDS = 150;

/** What the first world breaks that breaks an invariant; any, if none is named. */
async function firstBroken({ simulate }: Simulator, invariant = ''): Promise<readonly string[] | undefined> {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { broken } = await simulate(seed, 1_500);
    if (broken.some((line) => line.startsWith(invariant))) return broken;
  }
  return undefined;
}

describe('the simulator', () => {
  it('finds nothing in the engine as it is', async () => {
    expect(await firstBroken(await load<Simulator>('packages/testing/src/simulator/index.ts'))).toBeUndefined();
  });

  it.each(faults)('finds it when $name', async (fault) => {
    expect(await firstBroken(await load<Simulator>('packages/testing/src/simulator/index.ts', fault), fault.breaks)).toBeDefined();
  });
});

describe('the comparison of runs with and without a technique', () => {
  const starving: Fault = {
    name: 'callers behind a large request are refused with it',
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
  };

  it(`finds it when ${starving.name}`, async () => {
    const { compare } = await load<Simulator>('packages/testing/src/simulator/index.ts', starving);
    const broken: string[] = [];
    for (let seed = 1; seed <= SEEDS && broken.length === 0; seed += 1) broken.push(...(await compare(seed, 400)).broken);

    expect(broken.join()).toContain('without groupCommit: call');
  });
});

describe('the property that a credit never gives back more than its tokens are worth', () => {
  const rounding: Fault = {
    name: 'refunds are rounded up',
    edits: [
      {
        file: 'packages/core/src/timing.ts',
        from: 'return scaleDown(tokens, timing.periodUs, timing.refill);',
        to: 'return scaleUp(tokens, timing.periodUs, timing.refill);',
      },
    ],
  };

  function check({ Limit, timingOf, creditUs }: Core): void {
    fc.assert(
      fc.property(anyLimit, fc.integer({ min: 1, max: 1_000_000 }), ({ refill, periodMs }, tokens) => {
        const timing = timingOf(Limit.of({ name: 'any', refill, periodMs, capacity: 1 }));
        expect(BigInt(creditUs(timing, tokens)) * BigInt(refill)).toBeLessThanOrEqual(BigInt(tokens) * BigInt(periodMs) * 1000n);
      }),
    );
  }

  it('holds as it is', async () => {
    check(await load<Core>('packages/core/src/index.ts'));
  });

  it('is broken when refunds are rounded up', async () => {
    const broken = await load<Core>('packages/core/src/index.ts', rounding);

    expect(() => check(broken)).toThrow(/Property failed/);
  });
});
