import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, lines, openCommandLine, steady } from './command-line.js';
import { UsageBooks } from './usage-books.js';

let here: CommandLine;
let books: UsageBooks;
beforeAll(async () => {
  here = await openCommandLine();
  books = new UsageBooks(here);
  await books.book('key-1', 'gpt-4', 'rpm', [
    { at: '2026-05-10T08:10:00Z', tokens: 12 },
    { at: '2026-05-10T08:20:00Z', tokens: -2 },
    { at: '2026-05-10T10:00:00Z', tokens: 5 },
    { at: '2026-06-02T10:00:00Z', tokens: 1 },
  ]);
  await books.book('key-1', 'gpt-4', 'rpm', [{ at: '2026-05-10T08:30:00Z', tokens: 30 }], 1);
  await books.book('key-1', 'a, "b"', 'tpm', [{ at: '2026-05-10T08:30:00Z', tokens: 1_234_567 }]);
  await books.book('=key', 'gpt-4', 'rpm', [{ at: '2026-05-10T09:00:00Z', tokens: 9 }]);
});
afterAll(async () => {
  books.close();
  await here.close();
});

const DAY = '--from 2026-05-10 --to 2026-05-11';

describe('millrace usage snapshots', () => {
  it('shows the hours in which something was used, a limit to a line', async () => {
    expect(await here.millrace(`usage snapshots key-1 gpt-4 ${DAY}`)).toMatchObject({
      code: 0,
      err: '',
      out: lines(
        'resource  start                 limit  used  returned  net  writes',
        'gpt-4     2026-05-10T08:00:00Z  rpm      42         2   40       3',
        'gpt-4     2026-05-10T10:00:00Z  rpm       5         0    5       1',
      ),
    });
    expect((await here.millrace('usage snapshots nobody')).out).toBe('nothing was used\n');
  });

  it('goes on from page to page, and is one document with --json', async () => {
    const first = await here.millrace(`usage snapshots key-1 gpt-4 ${DAY} --limit 1`);
    const [, after = ''] = /--after '?([^'\n]+)/.exec(first.err) ?? [];

    expect(first.err).toContain('more: go on with --after');
    expect(await here.answer(`usage snapshots key-1 gpt-4 ${DAY} --limit 1 --after ${after}`)).toEqual({
      entity: 'key-1',
      snapshots: [
        {
          resource: 'gpt-4',
          type: 'hour',
          start: '2026-05-10T10:00:00.000Z',
          end: '2026-05-10T11:00:00.000Z',
          limits: { rpm: { used: 5, returned: 0, net: 5 } },
          writes: 1,
        },
      ],
    });
    expect(await here.answer(`usage snapshots key-1 gpt-4 --type month --fill --from 2026-04-01 --to 2026-07-01`)).toMatchObject({
      snapshots: [{ limits: {} }, { limits: { rpm: { net: 45 } } }, { limits: { rpm: { net: 1 } } }],
    });
  });

  it('is a table for spreadsheets with --csv', async () => {
    const { code, out } = await here.millrace(`usage snapshots key-1 ${DAY} --type day --csv`);

    expect(code).toBe(0);
    expect(out.split('\r\n')).toEqual([
      'entity,resource,type,start,end,limit,used,returned,net,writes',
      'key-1,"a, ""b""",day,2026-05-10T00:00:00.000Z,2026-05-11T00:00:00.000Z,tpm,1234567,0,1234567,1',
      'key-1,gpt-4,day,2026-05-10T00:00:00.000Z,2026-05-11T00:00:00.000Z,rpm,47,2,45,4',
      '',
    ]);
  });

  it('is drawn with --chart, with the windows in which nothing was used', async () => {
    const { out } = await here.millrace('usage snapshots key-1 gpt-4 --from 2026-05-10T08:00Z --to 2026-05-10T11:00Z --chart');

    expect(out).toBe(
      lines(
        'rpm of gpt-4',
        `2026-05-10T08:00:00Z  40  ${'█'.repeat(53)}`,
        '2026-05-10T09:00:00Z   0',
        `2026-05-10T10:00:00Z   5  ${'█'.repeat(6)}▋`,
      ),
    );
  });

  it('is an Arrow file with --arrow, with exact types', async () => {
    const file = join(tmpdir(), `usage-${here.table}.arrow`);
    try {
      expect(await here.answer(`usage snapshots key-1 gpt-4 ${DAY} --arrow ${file}`)).toEqual({ file, rows: 2 });
      const read = tableFromIPC(await readFile(file));

      expect(read.schema.fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
        'entity Dictionary<Int32, Utf8>',
        'resource Dictionary<Int32, Utf8>',
        'type Dictionary<Int32, Utf8>',
        'start Timestamp<MILLISECOND, UTC>',
        'end Timestamp<MILLISECOND, UTC>',
        'limit Dictionary<Int32, Utf8>',
        'used Int64',
        'returned Int64',
        'net Int64',
        'writes Int64',
      ]);
      expect(read.toArray().map((row) => [row.entity, row.limit, new Date(Number(row.start)).toISOString(), row.net])).toEqual([
        ['key-1', 'rpm', '2026-05-10T08:00:00.000Z', 40n],
        ['key-1', 'rpm', '2026-05-10T10:00:00.000Z', 5n],
      ]);
      expect(await here.millrace(`usage snapshots key-1 ${DAY} --arrow /nowhere/at/all`)).toMatchObject({ code: 64 });
    } finally {
      await rm(file, { force: true });
    }
  });

  it('refuses two forms at once, and what it cannot read', async () => {
    expect(await here.millrace('usage snapshots key-1 --csv --chart')).toMatchObject({
      code: 64,
      err: 'error: --csv and --chart exclude each other\nhint: leave all but one of them out\n',
    });
    expect(await here.millrace('usage snapshots key-1 --csv --json')).toMatchObject({ code: 64, error: { code: 'USAGE' } });
    const refusal = 'takes the whole range, so --limit does nothing beside it\nhint: give --from and --to, or take --json\n';
    for (const form of ['--csv', '--chart', '--arrow']) {
      const words = `usage snapshots key-1 --limit 5 ${form}${form === '--arrow' ? ' usage.arrow' : ''}`;
      expect(await here.millrace(words)).toMatchObject({ code: 64, err: `error: ${form} ${refusal}` });
    }
    expect(await here.millrace('usage snapshots key-1 --type year --json')).toMatchObject({
      code: 64,
      error: { code: 'VALIDATION', value: 'year' },
    });
    expect(await here.millrace('usage snapshots key-1 --from 2026-05-11 --to 2026-05-10')).toMatchObject({ code: 64 });
  });
});

describe('millrace usage summary, top and current', () => {
  it('sum a time', async () => {
    expect((await here.millrace('usage summary key-1 --from 2026-05-01 --to 2026-07-01')).out).toBe(
      lines(
        '2026-05-01T00:00:00Z to 2026-07-01T00:00:00Z',
        '',
        'resource  limit       used  returned        net',
        'a, "b"    tpm    1,234,567         0  1,234,567',
        'gpt-4     rpm           48         2         46',
      ),
    );
    expect((await here.millrace('usage summary key-1 gpt-4 --from 2026-05-01 --to 2026-07-01 --csv')).out).toBe(
      'entity,resource,limit,used,returned,net\r\nkey-1,gpt-4,rpm,48,2,46\r\n',
    );
  });

  it('rank entities', async () => {
    expect((await here.millrace('usage top gpt-4 --of rpm --type day --at 2026-05-10T17:00Z')).out).toBe(
      lines(
        'rpm from 2026-05-10T00:00:00Z to 2026-05-11T00:00:00Z: 54 by 2 entities',
        '',
        'entity  used  returned  net   share',
        'key-1     47         2   45  83.3 %',
        '=key       9         0    9  16.7 %',
      ),
    );
    expect(await here.answer('usage top gpt-4 --of rpm --type day --at 2026-05-10 --count 1')).toMatchObject({
      limit: 'rpm',
      total: 54,
      entities: [{ entity: 'key-1', net: 45 }],
    });
    expect(await here.millrace('usage top gpt-4 --of rmp --type day --at 2026-05-10')).toMatchObject({
      code: 0,
      out: 'no limit "rmp" was used from 2026-05-10T00:00:00Z to 2026-05-11T00:00:00Z; those that were: rpm\n',
    });
    expect(await here.millrace('usage top gpt-4 --of rmp --type day --at 2026-05-10 --csv')).toMatchObject({
      code: 0,
      out: 'entity,used,returned,net\r\n=key,0,0,0\r\nkey-1,0,0,0\r\n',
      err: expect.stringContaining('no limit "rmp" was used'),
    });
    expect(await here.millrace('usage top gpt-4')).toMatchObject({ code: 64 });
  });

  it('tell what is used now, before the ledger knows', async () => {
    await here.answer('resource limits set api rpm:10/min');
    await here.answer('acquire key-7 api rpm=3');

    expect((await here.millrace('usage current key-7')).out.split('\n')).toEqual([
      'resource  limit  net  available  since',
      expect.stringMatching(/^api {7}rpm {6}3 {10}[78] {2}20..-/),
      '',
    ]);
    expect(await here.answer('usage current key-7 api')).toMatchObject({ current: [{ limits: { rpm: { net: 3 } } }] });
    expect((await here.millrace('usage current nobody')).out).toBe('no bucket is there: nothing was used lately\n');
    expect((await here.millrace('usage current key-7 api --csv')).out.split('\r\n')).toEqual([
      'entity,resource,limit,net,available,since',
      expect.stringMatching(/^key-7,api,rpm,3,\d+,20\S+Z$/),
      '',
    ]);
    expect(await here.millrace('usage current key-7 --csv --json')).toMatchObject({ code: 64 });
  });
});

describe('millrace usage verify, repair and seal', () => {
  it('find what is missing, book it, and then find nothing', async () => {
    await books.book('key-9', 'gpt-4', 'rpm', [
      { at: '2026-05-10T08:10:00Z', tokens: 12 },
      { at: '2026-05-10T08:50:00Z', tokens: 7, isLost: true },
      { at: '2026-05-10T10:10:00Z', tokens: 1 },
    ]);
    // Hours are kept for ninety days: whether these are looked at depends on when this runs, so days are.
    await books.book('key-9', 'gpt-3', 'rpm', [
      { at: '2026-05-10T08:10:00Z', tokens: 12 },
      { at: '2026-05-10T08:50:00Z', tokens: 7, isLost: true },
      { at: '2026-06-10T10:10:00Z', tokens: 1 },
    ]);
    const verify = 'usage verify --entity key-9 --resource gpt-3 --types month --settle 0';
    const finding = 'gap      key-9   gpt-3     month  2026-05-01T00:00:00Z  2026-06-01T00:00:00Z  rpm       7         0';
    const head = 'finding  entity  resource  type   after                 window                limit  used  returned';

    expect(await here.millrace(verify)).toMatchObject({
      code: 2,
      out: lines('not whole: 2 windows of 1 entity, 1 finding', '', head, finding),
      err: expect.stringContaining('millrace usage repair books what is missing\n'),
    });
    expect((await here.millrace(`${verify} --json`)).json).toMatchObject({ clean: false, found: [{ kind: 'gap', used: 7 }] });
    expect(await here.millrace(verify.replace('verify', 'repair'))).toMatchObject({
      code: 0,
      out: lines('booked 1 finding: 2 windows of 1 entity', '', head, finding),
    });
    expect(await here.millrace(verify)).toMatchObject({ code: 0, out: 'whole: 2 windows of 1 entity\n' });
    expect(await here.answer('audit list --entity key-9')).toMatchObject({ events: [{ action: 'usage.repair', actor: 'tester' }] });
    expect(await here.millrace('usage verify --since yesterday')).toMatchObject({ code: 64 });
    expect(await here.millrace('usage verify --types day,year')).toMatchObject({
      code: 64,
      err: 'error: option "--types" must be one of hour, day, week, month, got "year"\n',
    });
  });

  it('say where there was nothing to look at: the name may be mistyped', async () => {
    expect(await here.millrace('usage verify --entity kye-1')).toMatchObject({
      code: 0,
      out: 'whole: 0 windows of 1 entity\n',
      err: 'no usage of that name was found: is it right?\n',
    });
    await here.answer('namespace register unused');
    expect((await here.millrace('usage verify -n unused')).err).toBe('no usage was found in this namespace\n');
    expect((await here.millrace('usage repair --entity kye-1')).err).toBe('the ledger has no window of that name: is it right?\n');
  });

  it('look at a whole namespace, and tell nothing on stderr where nobody watches short work', async () => {
    const { code, out, err } = await here.millrace('usage verify --settle 0 --types month');

    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/^whole: \d+ windows of 4 entities\n/) });
    expect(out).toContain('not booked yet\nentity  resource  limit  used  returned\nkey-7   api       rpm       3         0\n');
    expect(err).toBe('');
  });

  it('seal a window, and see when it changes', async () => {
    const sealed = await here.millrace('usage seal gpt-4 --at 2026-05-20');
    const check = 'usage seal gpt-4 --at 2026-05-01 --check';

    expect(sealed.code).toBe(0);
    expect(steady(sealed.out).split('\n').slice(0, 6)).toEqual([
      'resource  gpt-4',
      'type      month',
      'start     2000-01-01T00:00:00Z',
      'end       2000-01-01T00:00:00Z',
      'sealed    2000-01-01T00:00:00Z',
      'entities  3',
    ]);
    expect(await here.answer(check)).toMatchObject({ intact: true });
    await books.book('late', 'gpt-4', 'rpm', [{ at: '2026-05-31T23:00:00Z', tokens: 5 }]);
    expect(await here.millrace(check)).toMatchObject({ code: 2, out: expect.stringContaining('not as it was sealed\n') });
    expect(await here.millrace(`${check} --empty`)).toMatchObject({ code: 64 });
    expect(await here.millrace('usage seal gpt-4 --at 2026-04-01 --check')).toMatchObject({
      code: 1,
      err: expect.stringContaining('hint: "millrace usage seal" seals a window that is over\n'),
    });
    expect(await here.millrace('usage seal gpt-4 --type hour --at 10min')).toMatchObject({
      code: 64,
      err: expect.stringMatching(/^error: option "--at" must be in a window that ended before 20\S+Z, got 20\S+Z\n$/),
    });
  });

  it('seal no window of a resource that nobody used in it, unless told to', async () => {
    expect(await here.millrace('usage seal gtp-4 --at 2026-05-20')).toMatchObject({
      code: 64,
      err: 'error: resource must be one that was used in the month that begins 2026-05-01T00:00:00.000Z, unless --empty is given, got "gtp-4"\n',
    });
    expect(await here.millrace('usage seal gtp-4 --at 2026-05-01 --check')).toMatchObject({ code: 1 });
    expect(await here.answer('usage seal gtp-4 --at 2026-05-20 --empty')).toMatchObject({ windows: 0 });
  });

  it('want an entity for the windows of events', async () => {
    expect(await here.millrace('usage verify --source events')).toMatchObject({
      code: 64,
      err: 'error: --source events looks at one entity at a time\nhint: give --entity <name>\n',
    });
  });
});
