import { counterBase, meterKey, type WireItem, wireKey } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { meterFromItem } from './counted-state.js';
import { LedgerError } from './ledger-error.js';
import { reduceSteps } from './reduce.js';
import { DEFAULT_RETENTION } from './retention.js';
import { stepOf } from './step-of.js';
import { windowFromItem, windowWriteRequest } from './window-wire.js';

const ERA_US = 1_800_000_000_000_000;
const BASE = counterBase(ERA_US);
const AT_MS = 1_800_000_007_000;
const ref = { namespaceId: 'n1', entity: 'key/1', resource: 'gpt-4' };

/** A meter after so many events of so many tokens. */
function meter(events: number, tokens: Readonly<Record<string, number>>, more: WireItem = {}): WireItem {
  const item: WireItem = {
    ...wireKey(meterKey(ref)),
    v: { N: '1' },
    seq: { N: String(ERA_US + events) },
    o: { N: String(ERA_US) },
    upd: { N: String(AT_MS) },
  };
  for (const [limit, used] of Object.entries(tokens)) {
    item[`u.${limit}`] = { N: String(BASE + BigInt(used)) };
    item[`r.${limit}`] = { N: String(BASE) };
  }
  return { ...item, ...more };
}

const stepFrom = (oldImage: WireItem | undefined, newImage: WireItem | undefined, isExpiry = false) =>
  stepOf({
    eventId: 'e-1',
    atMs: AT_MS,
    isExpiry,
    ...(oldImage === undefined ? {} : { oldImage }),
    ...(newImage === undefined ? {} : { newImage }),
  });

const limitStep = (from: number, to: number, isBirth: boolean) => ({
  used: { from: BASE + BigInt(from), to: BASE + BigInt(to) },
  returned: { from: BASE, to: BASE },
  isBirth,
});

describe('the step of a meter of usage events', () => {
  it('counts the events of its write, and says from where to where their tokens went', () => {
    expect(stepFrom(meter(3, { tpm: 30 }), meter(5, { tpm: 50, rpm: 1 }))).toEqual({
      ref: { ...ref, shard: 0 },
      source: 'events',
      eraUs: ERA_US,
      atMs: AT_MS,
      seq: { from: ERA_US + 3, to: ERA_US + 5 },
      limits: new Map([
        ['tpm', limitStep(30, 50, false)],
        ['rpm', limitStep(0, 1, true)],
      ]),
    });
  });

  it('of its first write has all events of it, and begins where the counters do', () => {
    expect(stepFrom(undefined, meter(7, { tpm: 70 }))).toMatchObject({
      seq: { from: ERA_US, to: ERA_US + 7 },
      limits: new Map([['tpm', limitStep(0, 70, true)]]),
    });
  });

  it('counts an event of no tokens, too, and nothing where no event came', () => {
    expect(stepFrom(meter(3, { tpm: 30 }), meter(4, { tpm: 30 }))).toMatchObject({
      seq: { from: ERA_US + 3, to: ERA_US + 4 },
      limits: new Map(),
    });
    expect(stepFrom(meter(3, { tpm: 30 }), meter(3, { tpm: 30 }))).toBeUndefined();
  });

  it('is none for an event, for its name, and for what expires', () => {
    const { PK = { S: '' } } = meter(1, {});
    expect(stepFrom(undefined, { PK, SK: { S: 'e/01HZZZZZZZZZZZZZZZZZZZZZZZ' }, v: { N: '1' } })).toBeUndefined();
    expect(stepFrom(undefined, { PK, SK: { S: 'k/job' }, v: { N: '1' } })).toBeUndefined();
    expect(stepFrom(meter(3, { tpm: 30 }), undefined, true)).toBeUndefined();
  });

  it.each([
    ['a counter that goes down', meter(3, { tpm: 30 }), meter(4, { tpm: 20 })],
    ['a number of events that goes down', meter(3, { tpm: 30 }), meter(2, { tpm: 40 })],
    ['no number of events', undefined, meter(3, { tpm: 30 }, { seq: { S: '3' } })],
    ['a counter without its partner', undefined, meter(3, {}, { 'u.tpm': { N: '5' } })],
    ['a schema that is too new', undefined, meter(3, { tpm: 30 }, { v: { N: '9' } })],
  ])('refuses %s: what it counts would be lost', (_title, before, after) => {
    expect(() => stepFrom(before, after)).toThrow(LedgerError);
  });

  it('goes into windows of its own, which are in no index', () => {
    const step = stepFrom(meter(3, { tpm: 30 }), meter(5, { tpm: 50 }));
    const [change, ...others] = reduceSteps(step === undefined ? [] : [step], () => 'UTC', ['hour']);
    if (change === undefined) throw new Error('there is a change');
    const request = windowWriteRequest('table', change, DEFAULT_RETENTION);

    expect(others).toEqual([]);
    expect(change.ref).toMatchObject({ source: 'events', type: 'hour' });
    expect(request.Key['PK']).toEqual({ S: 'n1/uv/key%2F1' });
    expect(Object.values(request.ExpressionAttributeNames)).not.toContain('w');
    const stored = { ...request.Key, v: { N: '1' }, sa: { N: '3' }, sb: { N: '5' } };
    expect(windowFromItem(stored).ref).toEqual(change.ref);
  });
});

describe('what a meter says now', () => {
  it('is its counters, its number and when it was written', () => {
    expect(meterFromItem(meter(7, { tpm: 70 }))).toEqual({
      limits: new Map([['tpm', { used: BASE + 70n, returned: BASE }]]),
      seq: ERA_US + 7,
      eraUs: ERA_US,
      writtenBeforeSec: AT_MS / 1_000,
    });
  });

  it('is refused of anything else', () => {
    const { upd: _, ...withoutTime } = meter(7, { tpm: 70 });
    expect(() => meterFromItem(withoutTime)).toThrow('no meter');
    expect(() => meterFromItem({ PK: { S: 'n1/e/key' }, SK: { S: 'entity' } })).toThrow('no meter');
  });
});
