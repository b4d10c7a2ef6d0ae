import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { SCENARIOS } from '../../scenarios/index.js';
import { bundleScenario } from '../node/bundle.js';
import { AGGREGATOR, WORKER } from '../node/package-root.js';
import { buildWorker } from './worker-bundle.js';

// What an installed package cannot bundle for itself, as it has no sources: run before it is packed.
for (const { name } of SCENARIOS) {
  for (const mode of ['direct', 'gateway'] as const) await bundleScenario(name, mode);
}
await buildWorker(WORKER);
await build({
  stdin: {
    contents: "export { makeHandler, STREAM_FILTERS } from '@millrace/aggregator-lambda';",
    resolveDir: fileURLToPath(new URL('.', import.meta.url)),
  },
  outfile: AGGREGATOR,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // What is of this repository only goes in; packages stay packages.
  external: ['@aws-sdk/*', '@millrace/core', '@millrace/ledger', '@millrace/limiter', '@millrace/limiter/*'],
  logLevel: 'error',
});
