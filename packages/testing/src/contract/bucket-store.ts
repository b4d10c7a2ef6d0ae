import type { BucketStore } from '@millrace/core';
import { describe } from 'vitest';
import { describeConcurrency } from './bucket-concurrency.js';
import { describeCounters } from './bucket-counters.js';
import { describeForms } from './bucket-forms.js';
import { describeModel } from './bucket-model.js';
import { describeNames } from './bucket-names.js';
import { describeRequests } from './bucket-requests.js';
import { describeReshape } from './bucket-reshape.js';
import { describeDrops, describeScales } from './bucket-scales.js';
import { describeHeader, describeMoves } from './bucket-writes.js';
import { type OpenStore, suiteStore } from './opened-store.js';

/** Declares the tests that every store of buckets has to pass. Its tests run against one store that `open` gives. */
export function describeBucketStore(name: string, open: OpenStore<BucketStore>): void {
  describe(`${name}, a store of buckets`, () => {
    const store = suiteStore(open);
    describeForms(store);
    describeMoves(store);
    describeScales(store);
    describeDrops(store);
    describeHeader(store);
    describeRequests(store);
    describeReshape(store);
    describeCounters(store);
    describeConcurrency(store);
    describeNames(store);
    describeModel(store);
  });
}
