import { SCHEMA_KEY, SCHEMA_VERSION } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { registryWorld, START_MS } from '../../test/registry-world.js';
import { readSchema } from './schema-record.js';

// A table that a stack has made is empty: nothing but its first namespace can tell by which schema it is written.
describe('registering the first namespace', () => {
  it('records the schema of a table that has had neither, so that nobody need migrate a new one', async () => {
    const { namespaces, table, audit } = registryWorld();

    await namespaces.register('acme', { actor: 'ada' });

    const record = { version: SCHEMA_VERSION, recordedAt: new Date(START_MS), recordedBy: 'ada' };
    expect(await readSchema(table)).toEqual(record);
    const { events } = await audit.list({ subject: 'schema' });
    expect(events).toMatchObject([{ action: 'schema.migrate', actor: 'ada', after: { version: SCHEMA_VERSION } }]);
    expect(events[0]).not.toHaveProperty('before');
    await namespaces.register('other', { actor: 'bob' });
    expect(await readSchema(table)).toEqual(record);
  });

  it('records it once where several are the first, each of them made', async () => {
    const { namespaces, table, audit } = registryWorld();
    const names = ['a', 'b', 'c', 'd'];

    await Promise.all(names.map((name) => namespaces.register(name)));

    expect((await namespaces.list()).namespaces.map(({ name }) => name)).toEqual(names);
    expect(await readSchema(table)).toMatchObject({ version: SCHEMA_VERSION });
    expect((await audit.list({ subject: 'schema' })).events).toHaveLength(1);
  });

  it('records none in a table that has namespaces already: that is older, and somebody has to migrate it', async () => {
    const { namespaces, table, audit } = registryWorld();
    await namespaces.register('acme');
    await table.deleteAll([SCHEMA_KEY]);

    await namespaces.register('other');

    expect(await readSchema(table)).toBeUndefined();
    expect((await audit.list({ subject: 'schema' })).events).toHaveLength(1);
  });

  it('leaves the record of a table that is newer', async () => {
    const { namespaces, table } = registryWorld();
    table.put({ PK: SCHEMA_KEY.partition, SK: SCHEMA_KEY.sort, v: SCHEMA_VERSION + 1, at: START_MS });

    await namespaces.register('acme');

    expect(await readSchema(table)).toMatchObject({ version: SCHEMA_VERSION + 1 });
  });
});
