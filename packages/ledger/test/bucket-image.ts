import {
  ATTRIBUTE,
  type BucketRef,
  type BucketState,
  bucketKey,
  limitAttribute,
  SCHEMA_VERSION,
  type WireItem,
  wireKey,
} from '@millrace/core';

/** The item that holds a bucket, as a stream shows it. */
export function imageOf(ref: BucketRef, state: BucketState): WireItem {
  const item: WireItem = {
    ...wireKey(bucketKey(ref)),
    [ATTRIBUTE.schemaVersion]: { N: String(SCHEMA_VERSION) },
    [ATTRIBUTE.seq]: { N: String(state.seq) },
    [ATTRIBUTE.ttlSec]: { N: String(state.ttlSec) },
  };
  const numbers = { eraUs: state.eraUs, configVersion: state.configVersion, layout: state.layout, nextLayout: state.nextLayout };
  for (const [name, value] of Object.entries(numbers)) {
    if (value !== undefined) item[ATTRIBUTE[name as keyof typeof numbers]] = { N: String(value) };
  }
  for (const [limit, { tatUs, used, returned, scale }] of state.limits) {
    item[limitAttribute('tat', limit)] = { N: String(tatUs) };
    item[limitAttribute('used', limit)] = { N: String(used) };
    item[limitAttribute('returned', limit)] = { N: String(returned) };
    if (scale !== undefined) item[limitAttribute('scale', limit)] = { S: scale };
  }
  for (const [limit, seed] of state.seeds ?? []) item[limitAttribute('seed', limit)] = { N: String(seed.tatUs) };
  return item;
}
