import { SCENARIOS } from '../../scenarios/index.js';
import { bundleScenario } from '../node/bundle.js';
import { WORKER } from '../node/package-root.js';
import { buildWorker } from './worker-bundle.js';

// What an installed package cannot bundle for itself, as it has no sources: run before it is packed.
for (const { name } of SCENARIOS) {
  for (const mode of ['direct', 'gateway'] as const) await bundleScenario(name, mode);
}
await buildWorker(WORKER);
