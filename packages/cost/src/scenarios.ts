import { HOURS_PER_MONTH } from './units.js';
import { type Workload, workloadOf } from './workload.js';

/** A workload with a name, as the peer's guide has them. */
export interface Scenario {
  readonly name: ScenarioName;
  readonly does: string;
  readonly workload: Workload;
}

export type ScenarioName = 'simple' | 'hierarchical' | '10k-day' | '1m-day' | 'mixed';

const hourly = (acquires: number): number => acquires * HOURS_PER_MONTH;
const daily = (acquires: number): number => (acquires * HOURS_PER_MONTH) / 24;

/**
 * The scenarios whose bills the peer publishes, and one that has something of everything. The first two say their config
 * misses as the guide does; the monthly two leave them to the cache, whose life is a minute.
 */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'simple',
    does: '10,000 acquires an hour, two limits, no cascade, configuration cached',
    workload: workloadOf({ acquiresPerMonth: hourly(10_000), configMissShare: 0 }),
  },
  {
    name: 'hierarchical',
    does: '10,000 acquires an hour, two limits, half of them cascade to a parent, 2 % config misses',
    workload: workloadOf({ acquiresPerMonth: hourly(10_000), cascadeShare: 0.5, configMissShare: 0.02 }),
  },
  {
    name: '10k-day',
    does: '10,000 acquires a day of 10 entities in one process',
    workload: workloadOf({ acquiresPerMonth: daily(10_000), entities: 10, processes: 1 }),
  },
  {
    name: '1m-day',
    does: '1,000,000 acquires a day of 100 entities in four processes',
    workload: workloadOf({ acquiresPerMonth: daily(1_000_000) }),
  },
  {
    name: 'mixed',
    does: '1,000,000 acquires a day: 30 % cascade to a parent, 20 % are refused, half of those from memory, each admitted one is adjusted',
    workload: workloadOf({
      acquiresPerMonth: daily(1_000_000),
      cascadeShare: 0.3,
      refusedShare: 0.2,
      refusedLocallyShare: 0.5,
      adjustsPerAcquire: 1,
      wrongFormShare: 0.03,
      configMissShare: 0.02,
    }),
  },
];
