export { bucketBytes, unitsPerWrite } from './bucket-size.js';
export { type BreakEven, breakEven, type CapacityMode, type ModeCost, modeCosts } from './capacity-modes.js';
export { type CacheFigures, type CacheRow, cacheFigures, cacheTable, UNITS_PER_ITEM } from './config-cache.js';
export { type Bill, type CostPart, callerUnits, monthlyBill, type PartName, perMillion, scaled } from './estimate.js';
export { type PeerBill, type PeerMonth, peerBills, publishedMonth } from './peer/bills.js';
export {
  billedSpeculative,
  type PeerLoad,
  type PeerUnits,
  publishedAdjustments,
  publishedAggregator,
  publishedSlow,
  publishedSpeculative,
} from './peer/formulas.js';
export { PEER_PATHS, type PeerPath, pathUsdPerMillion } from './peer/paths.js';
export { DEFAULT_REGION, PRICES, type Prices, pricesOf, usdOf } from './prices.js';
export { SCENARIOS, type Scenario, type ScenarioName } from './scenarios.js';
export { DAYS_PER_MONTH, HOURS_PER_MONTH, MILLION, SECONDS_PER_MONTH, type Units } from './units.js';
export { usdText } from './usd-text.js';
export { DEFAULT_WORKLOAD, type Workload, workloadOf } from './workload.js';
