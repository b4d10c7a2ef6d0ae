export { type PrefetchFigures, type PrefetchWorld, runPrefetch } from './prefetch-run.js';
export { type SimulationResult, simulate } from './simulate.js';
