import { figure, times } from '../render/figure.js';
import type { TextTable } from '../render/table.js';
import { type Row, rowLike } from './row.js';

/** The latency under which the published figures can be had again: its authors' store took that long to answer. */
const LATENCY_MS = 20;

/** A figure that the plugin's authors published, and how it is read off a row. */
interface PublishedFigure {
  readonly title: string;
  readonly scenario: string;
  readonly concurrency: number;
  readonly published: string;
  readonly read: (row: Row) => string;
}

const perSecond = ({ changesPerSecond }: Row): string => figure(changesPerSecond);

/** Changes a second by concurrency 10, 50 and 100. */
const CONSOLIDATION: Readonly<Record<number, readonly [string, string, string]>> = {
  100: ['450', '2,100', '3,200'],
  500: ['380', '1,850', '2,950'],
  1000: ['320', '1,650', '2,750'],
};

const FIGURES: readonly PublishedFigure[] = [
  ...Object.entries(CONSOLIDATION).flatMap(([changes, rates]) =>
    [10, 50, 100].map((concurrency, index) => ({
      title: `${figure(Number(changes))} changes of one key, changes/s`,
      scenario: `folded-${changes}`,
      concurrency,
      published: rates[index] ?? '',
      read: perSecond,
    })),
  ),
  {
    title: '24 hourly roll-ups, side by side x in sequence',
    scenario: 'roll-ups',
    concurrency: 50,
    published: '14.5×',
    read: ({ timesSequential }) => times(timesSequential),
  },
  {
    title: 'pipeline of 1,000 changes over 24 hours, ms',
    scenario: 'pipeline',
    concurrency: 50,
    published: '1,200',
    read: ({ elapsedMs }) => figure(elapsedMs),
  },
];

/** What was published of the plugin beside what its way does here, and ours; on the servers that were measured. */
export function publishedTable(rows: readonly Row[], server: Row['server']): TextTable {
  const measured = FIGURES.map(({ title, scenario, concurrency, published, read }) => {
    const of = (side: Row['side']): string => {
      const row = rowLike(rows, { scenario, concurrency, server, side, latencyMs: LATENCY_MS });
      return row === undefined ? '-' : read(row);
    };
    return [title, String(concurrency), published, of('plugin'), of('millrace')];
  });
  return {
    titles: ['', 'at once', 'published', `plugin's way, ${server}, 20 ms`, `millrace, ${server}, 20 ms`],
    left: 1,
    rows: measured.filter(([, , , plugin, millrace]) => plugin !== '-' || millrace !== '-'),
  };
}
