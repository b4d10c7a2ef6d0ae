import { parseArgs } from 'node:util';
import { simulate } from './simulate.js';

const USAGE = 'usage: pnpm sim [--seeds N] [--from SEED] [--json]';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '50' },
      from: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  const [seeds, from] = [Number(values.seeds), Number(values.from)];
  if (values.help === true) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (!Number.isSafeInteger(seeds) || seeds < 1 || !Number.isSafeInteger(from)) {
    process.stderr.write(`--seeds must be a whole number above 0 and --from a whole number\n${USAGE}\n`);
    return 2;
  }

  const startedMs = Date.now();
  const totals = { seeds: 0, operations: 0, acquires: 0, admitted: 0, rejected: 0, writes: 0 };
  for (let seed = from; seed < from + seeds; seed += 1) {
    const result = await simulate(seed);
    totals.seeds += 1;
    for (const key of ['operations', 'acquires', 'admitted', 'rejected', 'writes'] as const) totals[key] += result[key];
    if (process.stderr.isTTY) process.stderr.write(`\rseed ${seed}: ${totals.operations.toLocaleString('en')} operations`);
    if (result.broken.length > 0) {
      report({ ...totals, seconds: (Date.now() - startedMs) / 1000, broken: result }, values.json);
      return 1;
    }
  }
  report({ ...totals, seconds: (Date.now() - startedMs) / 1000, broken: null }, values.json);
  return 0;
}

interface Report {
  readonly seeds: number;
  readonly operations: number;
  readonly acquires: number;
  readonly admitted: number;
  readonly rejected: number;
  readonly writes: number;
  readonly seconds: number;
  readonly broken: { readonly seed: number; readonly broken: readonly string[] } | null;
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
      `${count(result.rejected)} rejected, ${count(result.writes)} writes, ${result.seconds.toFixed(1)} s\n`,
  );
  if (result.broken === null) process.stdout.write('no invariant is broken\n');
  else {
    process.stdout.write(`seed ${result.broken.seed} breaks:\n${result.broken.broken.map((line) => `  ${line}\n`).join('')}`);
    process.stdout.write(`repeat it with: pnpm sim --from ${result.broken.seed} --seeds 1\n`);
  }
}

process.exitCode = await main();
