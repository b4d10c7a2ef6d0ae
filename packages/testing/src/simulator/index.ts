export { type Added, type Comparison, compare, KINDS, type Kind, type RunTotals } from './differential.js';
export { type PrefetchFigures, type PrefetchWorld, runPrefetch } from './prefetch-run.js';
export { type SimulationResult, simulate } from './simulate.js';
