export { type InstalledEngine, installedEngines } from './installed-engines.js';
export { type LaunchOptions, launchEngine } from './launch-engine.js';
export type { EngineCredentials, EngineName, LocalEngine } from './local-engine.js';
