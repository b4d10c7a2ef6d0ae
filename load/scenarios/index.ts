import type { Scenario } from '../src/plan/scenario.js';
import { scenario as hotKey } from './hot-key.js';
import { scenario as llmGateway } from './llm-gateway.js';
import { scenario as maxRps } from './max-rps.js';
import { scenario as rejectionStorm } from './rejection-storm.js';
import { scenario as simple } from './simple.js';

/** All scenarios, in the order in which they are listed. A scenario's file has its name. */
export const SCENARIOS: readonly Scenario[] = [simple, maxRps, llmGateway, hotKey, rejectionStorm];
