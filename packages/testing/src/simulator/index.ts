export { type SimulationResult, simulate } from './simulate.js';
