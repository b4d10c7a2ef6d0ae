import { readArguments } from './read-arguments.js';
import { type SimulationResult, simulate } from './simulate.js';
import { techniques } from './techniques.js';

const USAGE = 'usage: pnpm sim [--seeds N] [--from SEED] [--without TECHNIQUE]... [--json]';
const names = techniques.map(({ name }) => name);

const OPTIONS = {
  seeds: { type: 'string', default: '50' },
  from: { type: 'string', default: '1' },
  without: { type: 'string', multiple: true, default: [] as string[] },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h' },
} as const;

async function main(): Promise<number> {
  const read = readArguments(OPTIONS);
  if (read.wrong !== undefined) {
    process.stderr.write(`sim: ${read.wrong}\n${USAGE}\n`);
    return 2;
  }
  const { values } = read;
  const [seeds, from] = [Number(values.seeds), Number(values.from)];
  if (values.help === true) {
    process.stdout.write(`${USAGE}\ntechniques: ${names.join(', ')}\n`);
    return 0;
  }
  if (!Number.isSafeInteger(seeds) || seeds < 1 || !Number.isSafeInteger(from)) {
    process.stderr.write(`--seeds must be a whole number above 0 and --from a whole number\n${USAGE}\n`);
    return 2;
  }
  const unknown = values.without.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    process.stderr.write(`--without must be one of ${names.join(', ')}, not "${unknown}"\n${USAGE}\n`);
    return 2;
  }

  const startedMs = Date.now();
  const totals = { seeds: 0, operations: 0, acquires: 0, admitted: 0, rejected: 0, writes: 0, splits: 0, merges: 0 };
  for (let seed = from; seed < from + seeds; seed += 1) {
    const result = await simulate(seed, undefined, values);
    totals.seeds += 1;
    for (const key of ['operations', 'acquires', 'admitted', 'rejected', 'writes', 'splits', 'merges'] as const) totals[key] += result[key];
    if (process.stderr.isTTY) process.stderr.write(`\rseed ${seed}: ${totals.operations.toLocaleString('en')} operations`);
    if (result.broken.length > 0) {
      report({ ...totals, without: values.without, seconds: (Date.now() - startedMs) / 1000, broken: result }, values.json);
      return 1;
    }
  }
  report({ ...totals, without: values.without, seconds: (Date.now() - startedMs) / 1000, broken: null }, values.json);
  return 0;
}

interface Report {
  readonly seeds: number;
  readonly operations: number;
  readonly acquires: number;
  readonly admitted: number;
  readonly rejected: number;
  readonly writes: number;
  readonly splits: number;
  readonly merges: number;
  readonly without: readonly string[];
  readonly seconds: number;
  readonly broken: Pick<SimulationResult, 'seed' | 'drawn' | 'broken'> | null;
}

function report(result: Report, asJson: boolean): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  if (asJson) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const count = (value: number): string => value.toLocaleString('en');
  process.stdout.write(
    `${count(result.seeds)} worlds, ${count(result.operations)} operations, ${count(result.admitted)} admitted, ` +
      `${count(result.rejected)} rejected, ${count(result.writes)} writes, ${count(result.splits)} splits, ${count(result.merges)} merges, ${result.seconds.toFixed(1)} s\n`,
  );
  if (result.broken === null) process.stdout.write('no invariant is broken\n');
  else {
    process.stdout.write(`seed ${result.broken.seed} breaks:\n${result.broken.broken.map((line) => `  ${line}\n`).join('')}`);
    const drawn = Object.entries(result.broken.drawn).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`);
    const without = result.without.map((name) => ` --without ${name}`).join('');
    process.stdout.write(`in this world:\n${drawn.join('')}`);
    process.stdout.write(`repeat it with: pnpm sim --from ${result.broken.seed} --seeds 1${without}\n`);
  }
}

process.exitCode = await main();
