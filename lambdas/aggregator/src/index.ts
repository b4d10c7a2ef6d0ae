export { type AwsParts, awsHandler, awsSealer } from './adapters/aws-handler.js';
export { DynamoWindowStore } from './adapters/dynamo-windows.js';
export { Sender } from './adapters/sender.js';
export { EmfMetrics } from './emf.js';
export { ENVIRONMENT_VARIABLES, type Environment, environmentOf, type SealSettings } from './environment.js';
export { type Handler, type HandlerParts, makeHandler } from './handler.js';
export type { HandlerOptions } from './handler-options.js';
export { handler } from './lambda.js';
export type {
  ArchiveStore,
  BatchFigures,
  EventSink,
  FoundInLedger,
  LedgerFigures,
  Metrics,
  PeriodMarks,
  SealFigures,
  SealMetrics,
  ThresholdEvent,
  Trouble,
  UnsentEvents,
  ZoneReader,
} from './ports.js';
export { CHECKING_ACTIONS, SCHEDULE_EVENT, SEALING_ACTIONS } from './schedule-event.js';
export { makeSealer, type SealAnswer, type Sealer, type SealerOptions, type SealerParts } from './sealer.js';
export { type HintStore, type HotItem, type SplitHintParts, SplitHints } from './split-hints.js';
export { STREAM_FILTERS } from './stream-filters.js';
export { type LimitsReader, ThresholdWatch, type UsagePlace, type UsageReader } from './threshold-watch.js';
