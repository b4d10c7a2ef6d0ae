import { Limit, RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, lines, openCommandLine } from './command-line.js';

let here: CommandLine;
beforeAll(async () => {
  here = await openCommandLine();
  let nowMs = Date.parse('2026-05-10T08:00:00Z');
  const { endpoint, region, credentials } = here.engine;
  const limiter = await RateLimiter.open({
    table: here.table,
    endpoint,
    region,
    credentials,
    clock: { nowMs: () => nowMs },
    billing: { resources: 'all' },
  });
  const limits = [Limit.perMinute('rpm', 100), Limit.perMinute('tpm', 1_000)];
  const options = [{ idempotencyKey: 'job, 1', meta: { model: 'm' } }, {}, { meta: { note: 'a "b"' } }];
  for (const more of options) {
    await limiter.withLease('key-1', 'gpt-4', { rpm: 1, tpm: 100 }, (lease) => lease.adjust({ tpm: -7 }), { limits, ...more });
    nowMs += 3_600_000;
  }
  await limiter.close();
});
afterAll(() => here.close());

const DAY = '--from 2026-05-10 --to 2026-05-11';

describe('millrace usage events', () => {
  it('shows the leases that were recorded of an entity and resource, one to a line', async () => {
    expect(await here.millrace(`usage events key-1 gpt-4 ${DAY}`)).toMatchObject({
      code: 0,
      err: '',
      out: lines(
        'at                        tokens         key     meta',
        '2026-05-10T08:00:00.000Z  rpm 1, tpm 93  job, 1  {"model":"m"}',
        '2026-05-10T09:00:00.000Z  rpm 1, tpm 93  -       -',
        '2026-05-10T10:00:00.000Z  rpm 1, tpm 93  -       {"note":"a \\"b\\""}',
      ),
    });
    expect((await here.millrace('usage events key-2 gpt-4')).out).toBe('no events\n');
  });

  it('goes on from page to page, newest first if wanted, and finds one by its key', async () => {
    const first = await here.millrace(`usage events key-1 gpt-4 ${DAY} --limit 2 --newest`);
    const [, after = ''] = /--after (\S+)/.exec(first.err) ?? [];

    expect(first.out).toMatch(/T10:.*\n.*T09:/);
    expect(await here.answer(`usage events key-1 gpt-4 ${DAY} --limit 2 --newest --after ${after}`)).toEqual({
      events: [
        {
          id: expect.stringMatching(/^[0-9A-Z]{26}$/),
          at: '2026-05-10T08:00:00.000Z',
          amounts: { rpm: 1, tpm: 93 },
          idempotencyKey: 'job, 1',
          meta: { model: 'm' },
          degraded: false,
        },
      ],
    });
    const of = (key: string) => here.answer(['usage', 'events', 'key-1', 'gpt-4', '--key', key]);
    expect(await of('job, 1')).toMatchObject({ events: [{ at: '2026-05-10T08:00:00.000Z' }] });
    expect(await of('job, 2')).toEqual({ events: [] });
    expect(await here.millrace('usage events key-1 gpt-4 --key job --from 1h')).toMatchObject({
      code: 64,
      err: 'error: --key finds one event, whenever it was, so --from does nothing beside it\nhint: leave one of them out\n',
    });
  });

  it('is a table for spreadsheets with --csv, of the whole half-open range', async () => {
    const { code, out } = await here.millrace('usage events key-1 gpt-4 --from 2026-05-10T08:00Z --to 2026-05-10T10:00Z --csv');

    expect(code).toBe(0);
    expect(out.split('\r\n').map((line) => line.replace(/[0-9A-Z]{26}/, 'ID'))).toEqual([
      'entity,resource,id,at,limit,tokens,key,meta,degraded',
      'key-1,gpt-4,ID,2026-05-10T08:00:00.000Z,rpm,1,"job, 1","{""model"":""m""}",',
      'key-1,gpt-4,ID,2026-05-10T08:00:00.000Z,tpm,93,"job, 1","{""model"":""m""}",',
      'key-1,gpt-4,ID,2026-05-10T09:00:00.000Z,rpm,1,,,',
      'key-1,gpt-4,ID,2026-05-10T09:00:00.000Z,tpm,93,,,',
      '',
    ]);
    expect(await here.millrace(`usage events key-1 gpt-4 ${DAY} --csv --json`)).toMatchObject({ code: 64 });
    expect(await here.millrace(`usage events key-1 gpt-4 ${DAY} --csv --limit 1`)).toMatchObject({ code: 64 });
  });

  it('may be verified and summed apart from what buckets gave out', async () => {
    // Nobody books here, and the stream has none of it any more.
    const verified = await here.millrace('usage verify --entity key-1 --resource gpt-4 --source events --types month --settle 0 --json');
    expect(verified.json).toMatchObject({
      clean: false,
      found: [
        { kind: 'end', type: 'month', limit: 'rpm', net: 3 },
        { kind: 'end', type: 'month', limit: 'tpm', net: 279 },
      ],
      inFlight: [],
    });
    expect((await here.millrace('usage snapshots key-1 gpt-4 --source events')).out).toBe('nothing was used\n');
    expect(await here.millrace('usage summary key-1 --source meters')).toMatchObject({
      code: 64,
      err: expect.stringContaining('one of buckets, events'),
    });
  });
});
