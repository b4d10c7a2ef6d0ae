import { PEER_PATHS, type Prices, pathUsdPerMillion, SCENARIOS, type Units, usdText } from '@millrace/cost';
import type { TextTable } from '../render/table.js';
import type { OperationCount } from './operations.js';
import { type CostReport, hourly, type ScenarioReport } from './report.js';

/** A table of the report, with its title. */
export interface Table extends TextTable {
  readonly title: string;
}

/** The tables of a report. */
export function tablesOf(report: CostReport, prices: Prices): readonly Table[] {
  return [operationTable(report), millionTable(report, prices), ...scenarioTables(report), cacheTableOf(report), capacityTable(report)];
}

const number = (value: number, digits = 3): string => value.toLocaleString('en-US', { maximumFractionDigits: digits });
const pair = ({ readUnits, writeUnits }: Pick<Units, 'readUnits' | 'writeUnits'>, digits = 3): string =>
  `${number(readUnits, digits)} / ${number(writeUnits, digits)}`;
const percent = (share: number, digits = 1): string => `${(share * 100).toFixed(digits)} %`;

function operationTable({ operations }: CostReport): Table {
  return {
    title: 'Operations',
    left: 6,
    titles: ['operation of the peer', 'published RCU / WCU', 'ours', 'requests', 'counted RCU / WCU', 'note'],
    rows: operations.map(({ published, ours, counted, note }) => [
      published?.operation ?? '',
      published === undefined ? '' : `${published.readUnits} / ${published.writeUnits}`,
      ours,
      number(counted.requests),
      pair(counted),
      note ?? '',
    ]),
  };
}

/** Which of our operations stands in the place of a path of the peer. */
const OURS: Readonly<Record<string, readonly string[]>> = {
  normal: ['first'],
  speculative: ['warm'],
  'fast rejection': ['rejection', 'repeated rejection'],
  fallback: ['wrong form'],
  'cascade, normal': ['first cascade'],
  'cascade, speculative': ['cascade'],
  'cascade, fallback': ['wrong form above'],
  'cascade, rejection': ['cascade rejection', 'repeated rejection'],
};

function millionTable({ operations }: CostReport, prices: Prices): Table {
  const counted = new Map(operations.map((operation: OperationCount) => [operation.id, operation.counted]));
  const million = (id: string): string => {
    const units = counted.get(id);
    return units === undefined ? '' : usdText(pathUsdPerMillion(units, prices));
  };
  return {
    title: 'A million acquires',
    left: 5,
    titles: ['path of the peer', 'published', 'as billed', 'ours, counted', 'what is wrong'],
    rows: PEER_PATHS.map(({ path, published, billed, correction }) => [
      path,
      usdText(published.usdPerMillion),
      usdText(pathUsdPerMillion(billed ?? published, prices)),
      (OURS[path] ?? []).map(million).join(', repeated '),
      correction ?? '',
    ]),
  };
}

const HOURS = 720;

const PUBLISHED_MONTHS: ReadonlyMap<string, string> = new Map([
  ['10k-day', 'about $0.35'],
  ['1m-day', 'about $35; provisioned about $22'],
]);

function scenarioTables({ scenarios }: CostReport): readonly Table[] {
  const perHour = ({ scenario }: ScenarioReport): number =>
    (SCENARIOS.find(({ name }) => name === scenario)?.workload.acquiresPerMonth ?? 0) / HOURS;
  return [
    {
      title: 'Scenarios: units an hour',
      left: 1,
      titles: [
        'scenario',
        'published RCU / WCU, slow',
        'published, speculative',
        'estimated',
        'counted',
        'differ by',
        'wrong forms and refusals',
      ],
      rows: scenarios.map((report) => {
        const [slow, speculative] = report.peer.map(({ readUnits, writeUnits }) =>
          pair({ readUnits: readUnits / HOURS, writeUnits: writeUnits / HOURS }, 0),
        );
        return [
          report.scenario,
          slow ?? '',
          speculative ?? '',
          pair(hourly(report.estimated, report.acquires, perHour(report)), 0),
          pair(hourly(report.counted, report.acquires, perHour(report)), 0),
          percent(report.deviation, 2),
          percent(report.refusedWrites / report.acquires),
        ];
      }),
    },
    {
      title: 'Scenarios: dollars a month',
      left: 1,
      titles: [
        'scenario',
        'services, estimated',
        'services, counted',
        'ledger, Lambda, storage (estimated)',
        'in all',
        'peer, published: slow',
        'peer, published: speculative',
        'peer, with refusals and adjustments billed',
        'peer, in all, as its code reads',
      ],
      rows: scenarios.map(({ scenario, callerUsd: { estimated, counted }, followingUsd, peer }) => {
        const usd = [0, 1, 4, 5].map((index) => usdText(peer[index]?.usd ?? 0));
        return [scenario, usdText(estimated), usdText(counted), usdText(followingUsd), usdText(estimated + followingUsd), ...usd];
      }),
    },
    {
      title: 'The published months',
      left: 3,
      titles: ['scenario', 'published', 'by its formulas: writes, reads, streams, Lambda', 'sum'],
      rows: scenarios.flatMap(({ scenario, peerMonth: { writesUsd, readsUsd, streamsUsd, lambdaUsd, usd } }) => {
        const published = PUBLISHED_MONTHS.get(scenario);
        const parts = [writesUsd, readsUsd, streamsUsd, lambdaUsd].map((part) => `$${part.toFixed(2)}`).join(' + ');
        return published === undefined ? [] : [[scenario, published, parts, usdText(usd)]];
      }),
    },
    {
      title: 'Scenarios: dollars a month for reads and writes, ledger included, by capacity mode',
      left: 1,
      titles: ['scenario', 'on demand', 'provisioned at 70 %', 'reserved 1 year', 'reserved 3 years'],
      rows: scenarios.map(({ scenario, modes }) => [scenario, ...modes.map(({ usd }) => usdText(usd))]),
    },
  ];
}

function cacheTableOf({ cache }: CostReport): Table {
  return {
    title: 'The cache of the configuration, a life of 60 s',
    left: 0,
    titles: ['acquires a second', 'published hits', 'published reads', 'our hits, estimated', 'counted', 'our reads, estimated', 'counted'],
    rows: cache.map(({ ratePerSec, published, ours, counted }) => [
      number(ratePerSec),
      percent(published.hitRate, 2),
      number(published.readsPerAsk, 5),
      percent(ours.hitRate, 3),
      percent(counted.hitRate, 3),
      number(ours.readsPerAsk, 5),
      number(counted.readsPerAsk, 5),
    ]),
  };
}

function capacityTable({ breakEven: { writeUtilisation, reservedFromWrites } }: CostReport): Table {
  const millions = (writes: number): string => `${number(writes / 1e6, 1)} M writes a month`;
  return {
    title: 'When another capacity mode pays',
    left: 3,
    titles: ['', 'published', 'computed'],
    rows: [
      [
        'provisioned is cheaper than on demand',
        'from about 5 M operations a month',
        `above ${percent(writeUtilisation)} utilisation, whatever the number`,
      ],
      ['100 reserved units (1 year) are cheaper than on demand', 'above 20 M', `from ${millions(reservedFromWrites.thanOnDemand)}`],
      ['and cheaper than provisioned at 70 %', '', `from ${millions(reservedFromWrites.thanProvisioned)}`],
    ],
  };
}
