import { describe, expect, it } from 'vitest';
import { Limit } from '../limit.js';
import { SCHEMA_VERSION } from '../schema/version.js';
import type { WireItem } from './attribute-value.js';
import { configFromItem, configFromItems, configReadRequest } from './config.js';

const item = (sort: string, more: WireItem = {}): WireItem => ({
  PK: { S: 'ns/e/key' },
  SK: { S: sort },
  v: { N: String(SCHEMA_VERSION) },
  ver: { N: '1800000000000' },
  upd: { N: '1800000000000' },
  ...more,
});

const LIMITS: WireItem = {
  limits: {
    L: [{ M: { name: { S: 'rpm' }, refill: { N: '10' }, periodMs: { N: '60000' }, capacity: { N: '20' }, reserve: { N: '0.1' } } }],
  },
};

describe('a request for the configuration', () => {
  it('is one batch of all items', () => {
    const request = configReadRequest('table', 'ns', [{ level: 'system' }, { level: 'entity', entity: 'key', resource: 'a/b' }], false);

    expect(request).toEqual({
      RequestItems: {
        table: {
          Keys: [
            { PK: { S: 'ns/s' }, SK: { S: 'limits' } },
            { PK: { S: 'ns/e/key' }, SK: { S: 'limits/a%2Fb' } },
          ],
          ConsistentRead: false,
        },
      },
      ReturnConsumedCapacity: 'TOTAL',
    });
  });
});

describe('a reply', () => {
  it('is put into the order of what was asked for, with nothing where there is nothing', () => {
    const refs = [
      { level: 'system' },
      { level: 'entity-default', entity: 'key' },
      { level: 'entity', entity: 'key', resource: 'm' },
      { level: 'lineage', entity: 'key' },
    ] as const;
    const entity = item('entity', { name: { S: 'key' }, at: { N: '1' } });

    const entries = configFromItems('ns', refs, [item('limits/m', LIMITS), entity, item('limits')]);

    expect(entries).toMatchObject([
      {},
      { record: { version: 1_800_000_000_000 } },
      { record: { limits: [{ name: 'rpm' }] } },
      { entity: { id: 'key' } },
    ]);
    expect(entries[0]).toEqual({});
  });
});

describe('a level', () => {
  it('is read with all that it may hold', () => {
    const record = configFromItem(
      item('limits', {
        ...LIMITS,
        retired: { L: [{ S: 'tpm' }] },
        mode: { S: 'disabled' },
        reason: { S: 'unpaid' },
        unavailable: { S: 'allow' },
        closed: { BOOL: true },
        managed: { S: 'production' },
      }),
    );

    expect(record).toEqual({
      limits: [Limit.of({ name: 'rpm', refill: 10, periodMs: 60_000, capacity: 20, reserve: 0.1 })],
      retired: ['tpm'],
      version: 1_800_000_000_000,
      updatedAtMs: 1_800_000_000_000,
      control: { mode: 'disabled', reason: 'unpaid' },
      onUnavailable: 'allow',
      closed: true,
      managedBy: 'production',
    });
  });

  it('without limits has none, whether the list is empty or missing', () => {
    expect(configFromItem(item('limits'))).toEqual({ version: 1_800_000_000_000, updatedAtMs: 1_800_000_000_000 });
    expect(configFromItem(item('limits', { limits: { L: [] } })).limits).toBeUndefined();
  });

  it('of a schema that this release cannot read is refused', () => {
    expect(() => configFromItem(item('limits', { v: { N: String(SCHEMA_VERSION + 2) } }))).toThrow('update this service');
  });
});
