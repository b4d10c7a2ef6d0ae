export { Crash, CrashingTable, type CrashPoint } from './crashing-table.js';
export {
  type EngineCredentials,
  type EngineName,
  type InstalledEngine,
  installedEngines,
  type LaunchOptions,
  type LocalEngine,
  launchEngine,
} from './engines/index.js';
export { FailingStore, type Mishap } from './failing-store.js';
export { FakeRuntime } from './fake-runtime.js';
export { MemoryStore } from './memory-store.js';
export { MemoryTable } from './memory-table.js';
export { MemoryWindowStore } from './memory-window-store.js';
export {
  type BatchResponse,
  EngineStream,
  type FailureMessage,
  type FilterPattern,
  type LambdaContext,
  type LambdaStreamEvent,
  type LambdaStreamRecord,
  MemoryStream,
  type PumpCheckpoints,
  PumpCrash,
  type PumpOptions,
  type StreamHandler,
  type StreamPage,
  StreamPump,
  type StreamShard,
  type StreamSource,
} from './pump/index.js';
