import { acquireBench } from './acquire/acquire-bench.js';
import type { Bench } from './bench.js';
import { COST_BENCH } from './cost/bench.js';
import { docsBench } from './docs/docs-bench.js';
import { ledgerBench } from './ledger/ledger-bench.js';
import { publishedBench } from './published/published-bench.js';
import { LATENCY, THROUGHPUT } from './published/tables.js';

/** All benches, in the order in which they are listed. */
export const BENCHES: readonly Bench[] = [
  acquireBench,
  publishedBench(LATENCY),
  publishedBench(THROUGHPUT),
  ledgerBench,
  COST_BENCH,
  docsBench,
];
