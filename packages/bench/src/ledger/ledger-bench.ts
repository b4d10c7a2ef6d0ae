import { writeFile } from 'node:fs/promises';
import type { Bench, Terminal } from '../bench.js';
import { exitOf } from '../render/outcome.js';
import type { StartWorker } from './cell.js';
import { measureLag } from './lag/measure-lag.js';
import type { StartWriter } from './lag/writer.js';
import { startWriterProcess } from './lag/writer-process.js';
import { measureLedger } from './measure.js';
import { LEDGER_USAGE, type LedgerOptions, readLedgerOptions } from './options.js';
import { ledgerPromises } from './promises.js';
import { type LedgerReport, ledgerMarkdown, ledgerText } from './report.js';
import { startWorkerProcess } from './worker-process.js';

export const ledgerBench: Bench = {
  name: 'ledger',
  summary: 'changes worked off by the aggregator, beside the way of one record and one mark, and how late; every total asserted',
  usage: LEDGER_USAGE,
  async run(args, terminal) {
    const options = readLedgerOptions(args);
    const report = await reportLedger(options, terminal.stderr);
    if (options.markdown !== undefined) await writeFile(options.markdown, ledgerMarkdown(report));
    terminal.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : ledgerText(report));
    return exitOf(report.promises, options.check, terminal.stderr);
  },
};

/** Measures every cell and the lag, as far as they are wanted, and judges what is promised of them. */
export async function reportLedger(
  options: LedgerOptions,
  stderr: Terminal['stderr'],
  start: StartWorker = startWorkerProcess,
  startWriter: StartWriter = startWriterProcess,
): Promise<LedgerReport> {
  const measured = await measureLedger(options, start, stderr);
  if (options.lag === undefined) return { bench: 'ledger', ...measured, promises: ledgerPromises(measured.rows) };
  stderr.write(`lag, for ${options.lag.seconds} seconds\n`);
  const lag = await measureLag(options.lag, startWriter, options.engine);
  return {
    bench: 'ledger',
    ...measured,
    servers: [...new Set([...measured.servers, lag.server])],
    totalsChecked: measured.totalsChecked + lag.totalsChecked,
    lag,
    promises: ledgerPromises(measured.rows, lag),
  };
}
