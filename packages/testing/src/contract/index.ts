export { describeBucketStore } from './bucket-store.js';
export { describeEntityStore } from './entity-store.js';
export type { OpenedStore, OpenStore } from './opened-store.js';
