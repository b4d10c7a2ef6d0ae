import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, lines, openCommandLine } from './command-line.js';

describe('millrace table', () => {
  let here: CommandLine;
  beforeAll(async () => {
    here = await openCommandLine({ withTable: false });
  });
  afterAll(() => here.close());

  it('says that there is none before it was created, for every command that would read it', async () => {
    for (const words of ['table status', 'table migrate', 'table delete --yes', 'entity list', 'namespace list', 'resource list']) {
      const { code, out, err } = await here.millrace(words);

      expect({ words, code, out }).toEqual({ words, code: 1, out: '' });
      expect(err).toContain(`error: there is no table "${here.table}" here\n`);
      expect(err).toContain('hint: check --table, --region and --endpoint; the construct makes a table, or "millrace table create"');
    }
  });

  it('creates one, tells how it is, and leaves one that exists as it is', async () => {
    const created = await here.millrace('table create');
    await here.answer('resource limits set gpt-4 rpm:1/min');
    const again = await here.answer('table create');

    expect(created).toMatchObject({ code: 0, out: `created table ${here.table}; it is ACTIVE\n`, err: '' });
    expect((await here.millrace('table create')).out).toBe(`table ${here.table} exists, and stays as it is; it is ACTIVE\n`);
    expect(again).toMatchObject({
      existed: true,
      table: here.table,
      status: 'ACTIVE',
      schemaVersion: 1,
      readable: true,
      stream: true,
      timeToLive: true,
    });
    expect(await here.answer('resource list')).toMatchObject({ resources: [{ resource: 'gpt-4' }] });
  });

  it('shows the status in lines and as JSON', async () => {
    const { out } = await here.millrace('table status');
    const json: Record<string, unknown> = await here.answer('table status');

    expect(out.replace(/^((items|bytes) +)[\d,-]+$/gm, '$1N')).toBe(
      lines(
        `table         ${here.table}`,
        'status        ACTIVE',
        'items         N',
        'bytes         N',
        'schema        version 1; this release writes 1',
        'stream        on',
        'time to live  on',
        `recovery      ${json['pointInTimeRecovery'] === undefined ? 'unknown' : json['pointInTimeRecovery'] === true ? 'on' : 'off'}`,
        'usage index   usable',
      ),
    );
    expect(json).toMatchObject({ table: here.table, status: 'ACTIVE', releaseSchemaVersion: 1, schemaVersion: 1, readable: true });
    expect(json).toMatchObject({ usageIndex: 'usable' });
  });

  it('migrates, or says that there was nothing to do', async () => {
    expect(await here.millrace('table migrate')).toMatchObject({ code: 0, out: 'the schema is at version 1; there was nothing to do\n' });
    expect(await here.answer('table migrate')).toEqual({ from: 1, to: 1, steps: [] });
  });

  it('deletes no table of somebody else, however it is named', async () => {
    const client = new DynamoDBClient({ ...here.engine });
    const key = { AttributeName: 'id', AttributeType: 'S' } as const;
    await client.send(
      new CreateTableCommand({
        TableName: 'payroll',
        AttributeDefinitions: [key],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    client.destroy();

    const { code, error } = await here.millrace('table delete --table payroll --yes --json');

    expect(code).toBe(1);
    expect(error).toMatchObject({ code: 'TABLE_UNUSABLE', message: expect.stringContaining('table "payroll" is not a table of Millrace') });
  });

  it('asks before it deletes, and where nobody can be asked only --yes will do', async () => {
    const { code, out, err } = await here.millrace('table delete');

    expect({ code, out }).toEqual({ code: 64, out: '' });
    expect(err).toMatch(/^error: this deletes table "millrace-cli-[^"]+" with all that it holds/);
    expect(err).toContain('hint: add --yes if that is what you want\n');
    expect(await here.answer('table status')).toMatchObject({ status: 'ACTIVE' });

    expect(await here.millrace('table delete --yes')).toMatchObject({ code: 0, out: `deleted table ${here.table}\n`, err: '' });
    expect(await here.millrace('table status --json')).toMatchObject({ code: 1, error: { code: 'TABLE_NOT_FOUND' } });
  });

  it('deletes with --json, too', async () => {
    await here.answer('table create');

    expect(await here.answer('table delete --yes')).toEqual({ table: here.table, deleted: true });
  });
});
