import { REQUEST_SLOTS } from '@millrace/core';
import { FakeRuntime } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { RequestIds } from './request-ids.js';

const idsOf = (seed = 1) => new RequestIds(new FakeRuntime({ seed }).random);

describe('the names of requests', () => {
  it('are numbers that the table keeps exactly, and no two are the same', () => {
    const ids = idsOf();
    const names = Array.from({ length: 1_000 }, () => ids.take('bucket').id);

    expect(new Set(names).size).toBe(1_000);
    expect(names.every((id) => Number.isSafeInteger(id) && id >= 0)).toBe(true);
  });

  it('begin elsewhere in each process', () => {
    const first = Array.from({ length: 200 }, (_, seed) => idsOf(seed).take('bucket').id);

    expect(new Set(first).size).toBe(200);
  });
});

describe('a process', () => {
  it('uses one slot of every bucket, as long as its requests follow one another', () => {
    const ids = idsOf();
    const slots = Array.from({ length: 100 }, (_, index) => {
      const bucket = `bucket-${index % 7}`;
      const { slot } = ids.take(bucket);
      ids.release(bucket, slot);
      return slot;
    });

    expect(new Set(slots).size).toBe(1);
  });

  it('spreads over all slots with its fellows', () => {
    expect(new Set(Array.from({ length: 100 }, (_, seed) => idsOf(seed).take('bucket').slot)).size).toBe(REQUEST_SLOTS);
  });

  it('uses another slot while a request of its own is on its way to the same bucket', () => {
    const ids = idsOf();
    const slots = Array.from({ length: REQUEST_SLOTS }, () => ids.take('bucket').slot);

    expect(new Set(slots).size).toBe(REQUEST_SLOTS);
    expect(ids.take('other').slot).toBe(slots[0]);
  });

  it('shares the last slot where all are in use, and leaves the others alone', () => {
    const ids = idsOf();
    const slots = Array.from({ length: REQUEST_SLOTS }, () => ids.take('bucket').slot);

    expect([ids.take('bucket').slot, ids.take('bucket').slot]).toEqual([slots.at(-1), slots.at(-1)]);
    expect(slots.map((slot) => ids.mayBeShared(slot))).toEqual([false, false, false, true]);
  });

  it('uses a slot again once every copy of its request was answered', () => {
    const ids = idsOf();
    const { slot } = ids.take('bucket');
    ids.hold('bucket', slot);
    ids.release('bucket', slot);
    expect(ids.take('bucket').slot).not.toBe(slot);

    ids.release('bucket', slot);

    expect(ids.take('bucket').slot).toBe(slot);
  });
});
