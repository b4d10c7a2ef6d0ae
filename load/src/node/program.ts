import { SCENARIOS } from '../../scenarios/index.js';
import { writeRigAssets } from '../build/rig-assets.js';
import { renderTerminal } from '../plan/render.js';
import { OUTCOME_EXIT } from '../plan/report.js';
import { assetsCommand, RUN_OPTIONS_USAGE, runCommand, UsageError } from './arguments.js';
import { type BenchResult, benchUser, GOALS } from './bench/bench.js';
import { runScenario } from './run-scenario.js';

/** Where the command writes: its result on stdout, everything else on stderr. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly env: NodeJS.ProcessEnv;
}

/** What the shell hears besides the outcomes of runs. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

const USAGE = `Usage: pnpm load run <scenario> [options]
       pnpm load local <scenario> [options]      the same with --mode local
       pnpm load list
       pnpm load bench [--quick] [--json]
       pnpm load assets --out DIR [--arch arm64|x64]   what the construct LoadRig is given

${RUN_OPTIONS_USAGE}
Exit codes: 0 passed, 1 the run could not be made, 2 bad arguments, 98 the table is not exact, 99 a threshold failed.
`;

/** Runs one command; returns the exit code. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  // `pnpm load -- local` hands over the two dashes as well.
  const [name, ...rest] = args[0] === '--' ? args.slice(1) : args;
  if (name === undefined || rest.includes('--help') || rest.includes('-h') || ['help', '--help', '-h'].includes(name)) {
    terminal.stdout.write(USAGE);
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  try {
    switch (name) {
      case 'run':
        return await run(rest, terminal);
      case 'local':
        return await run([...rest, '--mode', 'local'], terminal);
      case 'bench':
        return await bench(rest, terminal);
      case 'assets':
        return await assets(rest, terminal);
      case 'list':
        terminal.stdout.write(listing());
        return EXIT.ok;
      default:
        throw new UsageError(`there is no command "${name}"`);
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.stderr.write(`load: ${error.message}\n\n${USAGE}`);
    return EXIT.usage;
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const command = runCommand(args);
  const { report, folder } = await runScenario(command, { env: terminal.env, say: (text) => void terminal.stderr.write(`${text}\n`) });
  terminal.stdout.write(command.json ? `${JSON.stringify(report, null, 2)}\n` : `\n${renderTerminal(report)}`);
  terminal.stderr.write(`reports are in ${folder}\n`);
  return OUTCOME_EXIT[report.outcome];
}

async function bench(args: readonly string[], terminal: Terminal): Promise<number> {
  const unknown = args.find((arg) => arg !== '--quick' && arg !== '--json');
  if (unknown !== undefined) throw new UsageError(`bench has no argument "${unknown}"`);
  const sizes = args.includes('--quick') ? { turns: 1_000, users: 50 } : { turns: 8_000, users: 300 };
  const result = await benchUser(sizes, { env: terminal.env, say: (text) => void terminal.stderr.write(`${text}\n`) });
  terminal.stdout.write(args.includes('--json') ? `${JSON.stringify({ ...result, goals: GOALS }, null, 2)}\n` : renderBench(result));
  const { cpuUs, mbPerUser } = result.acquire;
  return cpuUs <= GOALS.cpuUs && mbPerUser <= GOALS.mbPerUser ? EXIT.ok : EXIT.failed;
}

async function assets(args: readonly string[], { env, stderr }: Terminal): Promise<number> {
  const { out, arch } = assetsCommand(args);
  await writeRigAssets(out, arch, env, (text) => void stderr.write(`${text}\n`));
  return EXIT.ok;
}

function renderBench({ acquire, bare, cpuRatio, memoryRatio }: BenchResult): string {
  return [
    `CPU of an acquire:   ${acquire.cpuUs.toFixed(0)} us, the bare signed request ${bare.cpuUs.toFixed(0)} us: ${cpuRatio.toFixed(2)} times (goal: at most ${GOALS.cpuUs} us)`,
    `memory of a user:    ${acquire.mbPerUser.toFixed(2)} MB, of the bare one ${bare.mbPerUser.toFixed(2)} MB: ${memoryRatio.toFixed(2)} times (goal: at most ${GOALS.mbPerUser} MB)`,
    '',
  ].join('\n');
}

function listing(): string {
  const width = Math.max(...SCENARIOS.map(({ name }) => name.length));
  return SCENARIOS.map(({ name, question }) => `${name.padEnd(width)}  ${question}\n`).join('');
}
