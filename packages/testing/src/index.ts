export {
  type EngineCredentials,
  type EngineName,
  type InstalledEngine,
  installedEngines,
  type LaunchOptions,
  type LocalEngine,
  launchEngine,
} from './engines/index.js';
export { FakeRuntime } from './fake-runtime.js';
export { MemoryStore } from './memory-store.js';
