import { SCENARIOS } from '@millrace/cost';
import { markdownTable, plainTable } from '../render/table.js';
import type { CostReport } from './report.js';
import type { Table } from './tables.js';

/** The tables for a terminal. */
export function textOf(tables: readonly Table[]): string {
  return tables.map((table) => `${table.title}\n\n${plainTable(table)}`).join('\n');
}

/** The page of the documents: what was counted, how, and what it says about the published figures. */
export function markdownOf(report: CostReport, tables: readonly Table[]): string {
  const [operations, million, ...others] = tables;
  return [
    '# What it costs\n',
    'Made by `pnpm bench cost --markdown`; nothing here is typed in but the words and what the peer publishes.\n',
    `The units of our operations and scenarios are counted: on a local engine (${report.engine}), through the SDK's own client, from the`,
    'capacity that each reply reports. A refused condition reports none, here as on AWS, which bills it: it counts as the write it',
    'refused. Prices are those of us-east-1 since November 2024; a month has 30 days; the free tier is left out. Nothing of it was',
    'measured on AWS. "Published" is what the guides of the closest peer claim.\n',
    section(operations),
    section(million),
    '## Scenarios\n',
    ...SCENARIOS.map(({ name, does }) => `- **${name}**: ${does}`),
    '',
    `Each was run with ${report.scenarios.map(({ scenario, acquires }) => `${acquires.toLocaleString('en-US')} acquires (${scenario})`).join(', ')},`,
    `seed ${report.seed}, at the scenario's own pace by a clock that does not pass by itself. The bench fails where read or write units`,
    'differ from the formulas of `@millrace/cost` by more than 2 %. The ledger, its Lambda and storage are formulas only: one write for each',
    'bucket, window and batch, and one in the index for each window that is new, with the two windows, 100 records and 5 s of the peer.',
    'Longer batches cost less.\n',
    ...others.map((table) => section(table, '###')),
    NOTES,
  ].join('\n');
}

function section(table: Table | undefined, level = '##'): string {
  return table === undefined ? '' : `${level} ${table.title}\n\n${markdownTable(table)}`;
}

const NOTES = `## What the published figures leave out

- **A refused condition is billed.** "Free" rejections cost a write each, so a client that storms costs as much as one that works. Ours
  costs one write for the first, and nothing while what was seen last proves the next.
- **A cascade in one transaction is four writes**, $2.75 a million with its two reads; the published $1.75 has reads and writes exchanged.
- **A cascade fallback of half a read and three writes is $1.9375**; the published $2.00 has a whole read.
- **A rejected cascade is three writes**: the child's, the parent's refused one, and the one that gives back.
- **What Lambda reads of a stream is free.** The published months bill it ($0.06, $6.00), and leave out what the aggregator writes.
- **The break-even to provisioned capacity is a utilisation**, not a number of operations. A table that is used above it, steadily, is
  cheaper provisioned from the first unit on.
- **Reserved capacity is sold by the hundred units.** The published 20 M operations a month keep 11 of a hundred busy at 70 %.
- **A cache that is read ahead has no misses to wait for**, and reads a little more often than one that expires: five items of half a
  unit, not three of one. An entity that a process sees less than once in a life of the cache is read each time, as the bill of
  \`10k-day\` shows; a longer life (\`configTtlMs\`) or fewer processes make it rarer.
- **Setting limits is dearer here** than at the peer for few limits: one transaction, at two units a kilobyte, writes the level, its name
  in a list and the event in two logs.

\`millrace cost\` prints the bill of any workload by the same formulas; \`millrace cost --compare\` the peer's beside it.
`;
