export { bundledProgram } from './bundled-program.js';
export { describeBundle, runBundle } from './function-bundles.js';
