import { Limit } from '@millrace/core';
import { type PrefetchFigures, type PrefetchWorld, runPrefetch } from './prefetch-run.js';
import { readArguments } from './read-arguments.js';

const USAGE = 'usage: pnpm sim:prefetch [--seeds N]';

/** The worlds of the table in docs/adr/0016: a bucket, the lifetime that suits its rate, and how long it is watched. */
const WORLDS: readonly (Omit<PrefetchWorld, 'load' | 'processes' | 'prefetch'> & { readonly name: string; readonly lifetimeMs: number })[] =
  [
    {
      name: '20,000/s, cost 1–20, C = 10,000',
      limit: Limit.perSecond('fast', 20_000, { capacity: 10_000 }),
      maxCost: 20,
      lifetimeMs: 1_000,
      durationMs: 10_000,
    },
    {
      name: '20,000/s, cost 1–20, C = 10,000',
      limit: Limit.perSecond('fast', 20_000, { capacity: 10_000 }),
      maxCost: 20,
      lifetimeMs: 300,
      durationMs: 10_000,
    },
    { name: '6,000/min, cost 1', limit: Limit.perMinute('rpm', 6_000), maxCost: 1, lifetimeMs: 5_000, durationMs: 120_000 },
    {
      name: '10/s, cost 1–3, C = 600',
      limit: Limit.perSecond('mid', 10, { capacity: 600 }),
      maxCost: 3,
      lifetimeMs: 60_000,
      durationMs: 1_800_000,
    },
    {
      name: '100,000/min, cost 1–2,000',
      limit: Limit.perMinute('llm', 100_000),
      maxCost: 2_000,
      lifetimeMs: 60_000,
      durationMs: 3_600_000,
    },
  ];
const LOADS = [0.1, 0.3, 0.6, 0.9, 1, 1.5, 5];
const PROCESSES = 4;

async function main(): Promise<number> {
  const read = readArguments({ seeds: { type: 'string', default: '5' }, help: { type: 'boolean', short: 'h' } });
  const count = Number(read.values?.seeds);
  if (read.values?.help === true) {
    process.stdout.write(`${USAGE}\nprints the table of docs/adr/0016, from so many worlds for each line (5 unless given)\n`);
    return 0;
  }
  if (!Number.isSafeInteger(count) || count < 1) {
    process.stderr.write(`sim:prefetch: ${read.wrong ?? '--seeds must be a whole number above 0'}\n${USAGE}\n`);
    return 2;
  }
  const seeds = Array.from({ length: count }, (_, index) => index + 1);
  const print = (...cells: readonly unknown[]): boolean => process.stdout.write(`| ${cells.join(' | ')} |\n`);
  print('bucket', 'lifetime', 'load', 'writes/acquire', 'without', 'tokens admitted', 'without', 'over the bound');
  print('---', '---', '---', '---', '---', '---', '---', '---');
  for (const { name, lifetimeMs, ...world } of WORLDS) {
    for (const load of LOADS) {
      const run = async (prefetch: PrefetchWorld['prefetch']): Promise<PrefetchFigures[]> => {
        const figures: PrefetchFigures[] = [];
        for (const seed of seeds)
          figures.push(await runPrefetch(seed, { ...world, load, processes: PROCESSES, ...(prefetch === undefined ? {} : { prefetch }) }));
        return figures;
      };
      const [ahead, plain] = [await run({ lifetimeMs }), await run(undefined)];
      const broken = [...ahead, ...plain].flatMap((figures) => figures.broken);
      if (broken.length > 0) throw new Error(broken.join('\n'));
      const excess = sum(ahead, 'excessTokens') + sum(plain, 'excessTokens');
      print(name, `${lifetimeMs / 1000} s`, load, perAcquire(ahead), perAcquire(plain), admitted(ahead), admitted(plain), excess);
    }
  }
  return 0;
}

function sum(figures: readonly PrefetchFigures[], key: Exclude<keyof PrefetchFigures, 'broken'>): number {
  return figures.reduce((total, each) => total + each[key], 0);
}

function perAcquire(figures: readonly PrefetchFigures[]): string {
  return (sum(figures, 'writes') / sum(figures, 'acquires')).toFixed(2);
}

/** Tokens, not acquires: small ones fit more often than large ones, and which come first is chance. */
function admitted(figures: readonly PrefetchFigures[]): string {
  return `${((100 * sum(figures, 'admittedTokens')) / sum(figures, 'askedTokens')).toFixed(2)} %`;
}

process.exitCode = await main();
