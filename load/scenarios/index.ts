import type { Scenario } from '../src/plan/scenario.js';
import { scenario as configChurn } from './config-churn.js';
import { scenario as contention } from './contention.js';
import { scenario as hotKey } from './hot-key.js';
import { scenario as llmGateway } from './llm-gateway.js';
import { scenario as llmProduction } from './llm-production.js';
import { scenario as maxRps } from './max-rps.js';
import { scenario as rejectionStorm } from './rejection-storm.js';
import { scenario as simple } from './simple.js';
import { scenario as soak } from './soak.js';
import { scenario as stress } from './stress.js';

/** All scenarios, in the order in which they are listed. A scenario's file has its name. */
export const SCENARIOS: readonly Scenario[] = [
  simple,
  maxRps,
  llmGateway,
  llmProduction,
  stress,
  hotKey,
  rejectionStorm,
  contention,
  configChurn,
  soak,
];
