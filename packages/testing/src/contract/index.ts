export { AWKWARD_NAMES } from './awkward-names.js';
export { describeBucketStore } from './bucket-store.js';
export { describeItemTable } from './item-table.js';
export type { OpenedStore, OpenStore } from './opened-store.js';
export { describeWindowStore, type ReadableWindowStore } from './window-store.js';
