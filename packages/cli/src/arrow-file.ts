import { writeFile } from 'node:fs/promises';
import { CliFailure } from './failure.js';
import type { UsageRow } from './render/usage.js';

type Arrow = typeof import('apache-arrow');

/** Loads Arrow, which is only there where somebody has installed it: it is larger than all the rest of this program. */
export async function loadArrow(load: () => Promise<Arrow> = () => import('apache-arrow')): Promise<Arrow> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new CliFailure(
      'USAGE',
      '--arrow needs the package apache-arrow, which is not installed',
      'npm install apache-arrow beside @millrace/cli (with --global if that is), or take --csv',
    );
  }
}

/** Usage as an Arrow file. Amounts are 64-bit whole numbers, moments are milliseconds of UTC, names are dictionaries. */
function arrowBytes(arrow: Arrow, rows: readonly UsageRow[]): Uint8Array {
  const { Dictionary, Int32, Int64, Table, TimestampMillisecond, Utf8, tableToIPC, vectorFromArray } = arrow;
  const name = (of: (row: UsageRow) => string | undefined) =>
    vectorFromArray(
      rows.map((row) => of(row) ?? null),
      new Dictionary(new Utf8(), new Int32()),
    );
  const moment = (of: (row: UsageRow) => Date) =>
    vectorFromArray(
      rows.map((row) => of(row).getTime()),
      new TimestampMillisecond('UTC'),
    );
  const amount = (of: (row: UsageRow) => number) =>
    vectorFromArray(
      rows.map((row) => BigInt(of(row))),
      new Int64(),
    );
  const table = new Table({
    entity: name((row) => row.entity),
    resource: name((row) => row.resource),
    type: name((row) => row.type),
    start: moment((row) => row.start),
    end: moment((row) => row.end),
    limit: name((row) => row.limit),
    used: amount((row) => row.used),
    returned: amount((row) => row.returned),
    net: amount((row) => row.net),
    writes: amount((row) => row.writes),
  });
  return tableToIPC(table, 'file');
}

/** Writes an Arrow file; one that is there is replaced. */
export async function writeArrow(file: string, arrow: Arrow, rows: readonly UsageRow[]): Promise<void> {
  try {
    await writeFile(file, arrowBytes(arrow, rows));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new CliFailure('FILE', `cannot write "${file}": ${(error as Error).message}`);
  }
}
