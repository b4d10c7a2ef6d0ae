import { acquireBench } from './acquire/acquire-bench.js';
import type { Bench } from './bench.js';

/** All benches, in the order in which they are listed. */
export const BENCHES: readonly Bench[] = [acquireBench];
