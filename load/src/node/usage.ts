import { RUN_OPTIONS_USAGE } from './arguments.js';
import { EXIT_CODES_USAGE } from './exit-codes.js';

const COMMANDS = `run <scenario> [options]           a table, k6, a verdict, reports
local <scenario> [options]         the same with --mode local
list                               the scenarios, and the question that each asks
runs [--limit N]                   what ran, newest first
report <run> [--html]              the report of a run: its name, the beginning of it, its folder, or "latest"
compare <run> <run> […]            runs side by side, and what differs from the first
tune <scenario> [options]          how many users one worker carries: the table of its capacity
connect --stack S [scenario]       the live dashboard of a Fargate task, through a tunnel
stop <run> | --all [--stack S]     ends workers: processes of this machine, tasks of the rig
bench [--quick]                    what an acquire takes of k6, beside the bare signed request
assets --out DIR [--arch A]        what the construct LoadRig is given, for arm64 or x64`;

const OTHER_OPTIONS = `Options of tune, beside those of run that say where and what:
  --max-users N     the most that are tried (40)
  --threshold S     the least efficiency, p50 of one user alone over p50 of many (0.8)
  --baseline-duration T   how long one user alone is measured, or longer, until it has made 100 acquires (60s)
  --step-duration T how long each number of users is measured, or as long as the baseline had to be, if that is longer (30s)
  --steps N         the most measurements after the baseline (8)
Options of connect, beside those of the run that it may start:
  --force           ends a task with a live dashboard that runs, and starts another one
  --destroy         ends it, and starts none
Options of what shows results: --results DIR, --json; of report, compare and tune also --markdown; of report also --html
`;

/** The help of the whole command. @param name How it is called: `pnpm load`, `millrace load`. */
export function usageOf(name: string): string {
  const lines = COMMANDS.split('\n').map((line, at) => `${at === 0 ? 'Usage: ' : '       '}${name} ${line}\n`);
  return `${lines.join('')}\n${RUN_OPTIONS_USAGE}${OTHER_OPTIONS}\n${EXIT_CODES_USAGE}\nExample:\n  $ ${name} local simple --duration 10s\n`;
}
