import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLimit } from '../src/arbitraries.js';
import { differences, type Edit, type Fault, faults } from './faults.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

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
async function firstBroken(
  { simulate }: Simulator,
  { breaks = '', prefetch }: Partial<Fault> = {},
): Promise<readonly string[] | undefined> {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { broken } = await simulate(seed, 1_500, prefetch === undefined ? {} : { prefetch });
    if (broken.some((line) => line.startsWith(breaks))) return broken;
  }
  return undefined;
}

describe('the simulator', () => {
  it('finds nothing in the engine as it is', async () => {
    expect(await firstBroken(await load<Simulator>('packages/testing/src/simulator/index.ts'))).toBeUndefined();
  });

  it.each(faults)('finds it when $name', async (fault) => {
    expect(await firstBroken(await load<Simulator>('packages/testing/src/simulator/index.ts', fault), fault)).toBeDefined();
  });
});

describe('the comparison of runs with and without a technique', () => {
  it.each(differences)('finds it when $name', async (fault) => {
    const { compare } = await load<Simulator>('packages/testing/src/simulator/index.ts', fault);
    const broken: string[] = [];
    for (let seed = 1; seed <= SEEDS && broken.length === 0; seed += 1) broken.push(...(await compare(seed, 400)).broken);

    expect(broken.join()).toContain(fault.breaks);
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
