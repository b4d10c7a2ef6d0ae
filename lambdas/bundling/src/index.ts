export { functionBundle } from './function-bundle.js';
