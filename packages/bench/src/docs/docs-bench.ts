import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureAcquire } from '../acquire/acquire-bench.js';
import { readAcquireOptions } from '../acquire/options.js';
import { acquireSvg } from '../acquire/plot.js';
import { acquireMarkdown, promisesMarkdown } from '../acquire/report.js';
import { namesOf, readOptions } from '../arguments.js';
import type { Bench, Terminal } from '../bench.js';
import { reportLedger } from '../ledger/ledger-bench.js';
import { DOCUMENTED, readLedgerOptions } from '../ledger/options.js';
import { ledgerPromisesMarkdown, ledgerTablesMarkdown } from '../ledger/report.js';
import { describeMachine } from '../machine.js';
import { measurePublished, type PublishedTable, publishedMarkdown, readPublishedOptions } from '../published/published-bench.js';
import { LATENCY, THROUGHPUT } from '../published/tables.js';
import { replaceSection } from './sections.js';

/** What a section needs to be made. */
interface Making {
  /** Options of measuring, handed on as they were typed. */
  readonly args: readonly string[];
  /** Those of them that also say something where work is done and not time is filled. */
  readonly countArgs: readonly string[];
  readonly stderr: Terminal['stderr'];
  /** Writes a plot beside the page. */
  plot(file: string, svg: string): Promise<void>;
}

/** One section of the page. */
interface Section {
  readonly name: string;
  make(making: Making): Promise<string>;
}

const OWN_CLIENT = ['--server', 'stub', '--case', 'distinct,hot', '--round-trip', '0'];
/** The stub speaks too little of DynamoDB for the others. */
const STUB_CONTESTANTS = ['--contestants', 'bare-sdk,rate-limiter-flexible,millrace,millrace-lean'];

const SECTIONS: readonly Section[] = [
  { name: 'machine', make: async () => machineText() },
  {
    name: 'promises',
    make: async ({ args, stderr }) => promisesMarkdown(await measureAcquire(readAcquireOptions([...args, '--check']), stderr)),
  },
  {
    name: 'acquire',
    async make({ args, stderr, plot }) {
      const report = await measureAcquire(readAcquireOptions(args), stderr);
      await plot('acquire.svg', acquireSvg(report.rows));
      return `Server: ${report.server}.\n\n${acquireMarkdown(report)}`;
    },
  },
  {
    name: 'client',
    async make({ args, stderr, plot }) {
      const report = await measureAcquire(readAcquireOptions([...args, ...OWN_CLIENT, ...STUB_CONTESTANTS]), stderr);
      await plot('client.svg', acquireSvg(report.rows));
      return acquireMarkdown(report);
    },
  },
  publishedSection(LATENCY),
  publishedSection(THROUGHPUT),
  {
    // Apart from the tables, whose few rounds are too few to judge by: the fastest run of a process that has just begun is a slow one.
    name: 'ledger-promises',
    make: async ({ countArgs, stderr }) => ledgerPromisesMarkdown(await reportLedger(readLedgerOptions([...countArgs, '--check']), stderr)),
  },
  {
    name: 'ledger',
    make: async ({ countArgs, stderr }) =>
      ledgerTablesMarkdown(await reportLedger({ ...readLedgerOptions(countArgs), cells: DOCUMENTED }, stderr)),
  },
];

function publishedSection(table: PublishedTable): Section {
  return {
    name: table.name,
    make: async ({ args, stderr }) => publishedMarkdown(table, await measurePublished(table, readPublishedOptions(args), stderr)),
  };
}

const USAGE = `Usage: pnpm bench docs [options]

Measures everything and writes the sections of docs/benchmarks.md and its plots; takes some minutes. What stands between
the sections is written by hand and stays.

  --only a,b          some of ${SECTIONS.map(({ name }) => name).join(',')} (all)
  --seconds N         how long each repetition runs (0.5)
  --warmup N          how long each runs before its first case is measured (5)
  --repetitions N     how many of them (3)
  --quick             0.2 seconds, one repetition, 1 and 64 callers
  --page FILE         another page (docs/benchmarks.md)
`;

export const docsBench: Bench = {
  name: 'docs',
  summary: 'all of them, into docs/benchmarks.md',
  usage: USAGE,
  async run(args, terminal) {
    const given = readOptions(args, {
      only: { type: 'string' },
      seconds: { type: 'string' },
      warmup: { type: 'string' },
      repetitions: { type: 'string' },
      quick: { type: 'boolean' },
      page: { type: 'string' },
    });
    const page = given.page ?? fileURLToPath(new URL('../../../../docs/benchmarks.md', import.meta.url));
    const wanted = namesOf(
      'only',
      given.only,
      SECTIONS.map(({ name }) => name),
    );
    const countArgs = [
      ...(given.repetitions === undefined ? [] : ['--repetitions', given.repetitions]),
      ...(given.quick === true ? ['--quick'] : []),
    ];
    const making: Making = {
      args: [
        ...(given.seconds === undefined ? [] : ['--seconds', given.seconds]),
        ...(given.warmup === undefined ? [] : ['--warmup', given.warmup]),
        ...countArgs,
      ],
      countArgs,
      stderr: terminal.stderr,
      async plot(file, svg) {
        const folder = join(dirname(page), 'benchmarks');
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, file), svg);
      },
    };
    for (const { name, make } of SECTIONS.filter((section) => wanted.includes(section.name))) {
      const text = await make(making);
      // Written after each section: an hour of measuring is not lost to the last one.
      await writeFile(page, replaceSection(await readFile(page, 'utf8'), name, text));
    }
    terminal.stdout.write(`wrote ${wanted.join(', ')}\n`);
    return 0;
  },
};

function machineText(): string {
  const { cores, cpu, node, platform } = describeMachine();
  return `Measured on ${cores} cores (${cpu}, shared with other work), ${platform}, Node ${node}.`;
}
