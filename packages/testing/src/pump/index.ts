export { PumpCrash } from './delivery.js';
export { EngineStream } from './engine-stream.js';
export type { FilterPattern } from './filter.js';
export { MemoryStream } from './memory-stream.js';
export type { FailureMessage, PumpCheckpoints, PumpOptions } from './pump-options.js';
export { StreamPump } from './stream-pump.js';
export type {
  BatchResponse,
  LambdaContext,
  LambdaStreamEvent,
  LambdaStreamRecord,
  StreamHandler,
  StreamPage,
  StreamShard,
  StreamSource,
} from './stream-record.js';
