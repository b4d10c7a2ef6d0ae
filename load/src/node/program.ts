import { writeRigAssets } from '../build/rig-assets.js';
import { capacityMarkdown, renderCapacity } from '../plan/capacity.js';
import { renderTerminal } from '../plan/render.js';
import { OUTCOME_EXIT } from '../plan/report.js';
import { assetsCommand, type RunCommand, runCommand } from './arguments.js';
import { benchUser, GOALS } from './bench/bench.js';
import { goalsMet, renderBench } from './bench/render-bench.js';
import { connect } from './connect/connect.js';
import { EXIT } from './exit-codes.js';
import { UsageError } from './flags.js';
import { runDocument, runListing, scenarioDocument, scenarioListing } from './listing.js';
import { IS_REPOSITORY, resultsFolder } from './package-root.js';
import { compareCommand, connectCommand, reportCommand, runsCommand, stopCommand, tuneCommand } from './reading-arguments.js';
import { comparisonText, reportText } from './result-texts.js';
import { listRuns } from './results.js';
import { type EndedRun, runScenario } from './run-scenario.js';
import { stopRuns } from './stop.js';
import type { Surroundings } from './surroundings.js';
import { type Teller, type TellerStream, tellerOn } from './teller.js';
import { StepFailed, tune } from './tune.js';
import { usageOf } from './usage.js';

/** Where the command writes: its result on stdout, everything else on stderr. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: TellerStream;
  readonly env: NodeJS.ProcessEnv;
  /** Ends what runs early; what it has by then is reported. */
  readonly signal?: AbortSignal;
  /** How the command is called in what it says of itself. @default 'pnpm load' */
  readonly name?: string;
}

/** What a command works with. */
interface Session {
  readonly args: readonly string[];
  readonly surroundings: Surroundings;
  readonly stdout: Terminal['stdout'];
  readonly stderr: Terminal['stderr'];
}

const COMMANDS: Readonly<Record<string, (session: Session) => Promise<number>>> = {
  run: (session) => run(session, runCommand(session.args, session.surroundings.env)),
  local: (session) => run(session, runCommand([...session.args, '--mode', 'local'], session.surroundings.env)),
  list,
  runs,
  report,
  compare,
  tune: tuneWorker,
  connect: connectToTask,
  stop,
  bench,
  assets,
};

/** Runs one command; returns the exit code. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  // `pnpm load -- local` hands over the two dashes as well.
  const [name, ...rest] = args[0] === '--' ? args.slice(1) : args;
  const usage = usageOf(terminal.name ?? 'pnpm load');
  if (name === undefined || rest.includes('--help') || rest.includes('-h') || ['help', '--help', '-h'].includes(name)) {
    (name === undefined ? terminal.stderr : terminal.stdout).write(usage);
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  const teller = tellerOn(terminal.stderr);
  try {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) throw new UsageError(`there is no command "${name}"`);
    return await command({ args: rest, surroundings: surroundingsOf(terminal, teller), stdout: terminal.stdout, stderr: terminal.stderr });
  } catch (error) {
    teller.end();
    if (!(error instanceof UsageError)) throw error;
    terminal.stderr.write(`load: ${error.message}\nhint: see ${terminal.name ?? 'pnpm load'} --help\n`);
    return EXIT.usage;
  } finally {
    teller.end();
  }
}

function surroundingsOf({ env, signal }: Terminal, teller: Teller): Surroundings {
  return { env, say: teller.say, show: teller.show, ...(signal === undefined ? {} : { signal }) };
}

async function run({ surroundings, stdout }: Session, command: RunCommand): Promise<number> {
  const ended = await runScenario(command, surroundings);
  return tell(ended, command.json, surroundings, stdout);
}

function tell({ report: ofRun, folder }: EndedRun, json: boolean, { say }: Surroundings, stdout: Terminal['stdout']): number {
  say(`reports are in ${folder}`);
  stdout.write(json ? documentText(ofRun) : `\n${renderTerminal(ofRun)}`);
  return OUTCOME_EXIT[ofRun.outcome];
}

async function list({ args, stdout }: Session): Promise<number> {
  refuseBut(args, 'list', ['--json']);
  stdout.write(args.includes('--json') ? documentText(scenarioDocument()) : scenarioListing());
  return EXIT.ok;
}

async function runs({ args, stdout }: Session): Promise<number> {
  const command = runsCommand(args);
  const results = resultsFolder(command.results);
  const listed = await listRuns(results, command.most);
  stdout.write(command.json ? documentText(runDocument(listed)) : runListing(listed, results));
  return EXIT.ok;
}

async function report({ args, stdout }: Session): Promise<number> {
  stdout.write(await reportText(reportCommand(args)));
  return EXIT.ok;
}

async function compare({ args, stdout }: Session): Promise<number> {
  stdout.write(await comparisonText(compareCommand(args)));
  return EXIT.ok;
}

async function tuneWorker({ args, surroundings, stdout }: Session): Promise<number> {
  const command = tuneCommand(args);
  try {
    const { tuned, folder } = await tune(command, surroundings);
    surroundings.say(`the table is in ${folder}`);
    const texts = { json: documentText, markdown: capacityMarkdown, terminal: renderCapacity };
    stdout.write(texts[command.format](tuned));
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    surroundings.say(`load: ${error.message}`);
    return error.exitCode;
  }
}

async function connectToTask({ args, surroundings, stdout }: Session): Promise<number> {
  const command = connectCommand(args);
  const { ended, isOk } = await connect(command, surroundings);
  if (ended !== undefined) return tell(ended, command.run.json, surroundings, stdout);
  return isOk ? EXIT.ok : EXIT.failed;
}

async function stop({ args, surroundings, stdout }: Session): Promise<number> {
  const { processes, tasks } = await stopRuns(stopCommand(args), surroundings.say);
  const ended = [...(processes > 0 ? [`${processes} processes`] : []), ...(tasks > 0 ? [`${tasks} tasks`] : [])];
  stdout.write(`stopped: ${ended.join(', ') || 'nothing ran'}\n`);
  return EXIT.ok;
}

async function bench({ args, surroundings, stdout }: Session): Promise<number> {
  refuseBut(args, 'bench', ['--quick', '--json']);
  if (!IS_REPOSITORY) throw new UsageError('bench bundles what it measures from source: run it in the repository');
  const sizes = args.includes('--quick') ? { turns: 4_000, users: 300, rounds: 1 } : { turns: 8_000, users: 300, rounds: 3 };
  const result = await benchUser(sizes, surroundings);
  stdout.write(args.includes('--json') ? documentText({ ...result, goals: GOALS }) : renderBench(result));
  const { cpu, memory } = goalsMet(result);
  return cpu && memory ? EXIT.ok : EXIT.failed;
}

async function assets({ args, surroundings: { env, say } }: Session): Promise<number> {
  const { out, arch } = assetsCommand(args);
  await writeRigAssets(out, arch, env, say);
  return EXIT.ok;
}

function refuseBut(args: readonly string[], command: string, known: readonly string[]): void {
  const unknown = args.find((arg) => !known.includes(arg));
  if (unknown !== undefined) throw new UsageError(`${command} has no argument "${unknown}"`);
}

function documentText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
