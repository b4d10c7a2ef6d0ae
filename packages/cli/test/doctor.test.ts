import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, openCommandLine } from './command-line.js';
import { createOlderTable } from './older-table.js';

interface Examined {
  readonly ok: boolean;
  readonly checks: readonly { readonly check: string; readonly result: string; readonly found: string; readonly todo?: string }[];
}

const ALL = [
  'region',
  'credentials',
  'endpoint',
  'clock',
  'table',
  'keys',
  'schema',
  'time to live',
  'stream',
  'usage index',
  'namespace',
  'limits',
];

let here: CommandLine;
beforeAll(async () => {
  here = await openCommandLine();
});
afterAll(() => here.close());

/** What a run of the doctor that found something bad says of each check. */
async function examine(words: string, env: Readonly<Record<string, string | undefined>> = {}): Promise<Examined & { code: number | null }> {
  const { code, json } = await here.millrace(`doctor --json${words}`, { env });
  return { code, ...(json as Examined) };
}

function resultOf({ checks }: Examined, check: string): string | undefined {
  return checks.find((one) => one.check === check)?.result;
}

describe('millrace doctor', () => {
  it('checks one thing after the other, and writes nothing', async () => {
    const before = await here.answer('audit list');
    const { code, out, err } = await here.millrace('doctor');

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.replace(/answers in .*/, 'answers in N ms').replace(/\(it is .*\)/, '(N)')).toBe(
      [
        `ok    region        ${here.engine.region}`,
        `ok    credentials   access key …${here.engine.credentials.accessKeyId.slice(-4)}`,
        `ok    endpoint      ${here.engine.endpoint} answers in N ms`,
        "ok    clock         agrees with the server's (N)",
        `ok    table         ${here.table} is ACTIVE`,
        'ok    keys          PK and SK',
        'ok    schema        version 1',
        'ok    time to live  on',
        'ok    stream        on, with new and old images',
        'ok    usage index   "windows" can be queried',
        'ok    namespace     default is active',
        'ok    limits        can be read; the system has none',
        '',
      ].join('\n'),
    );
    expect(await here.answer('audit list')).toEqual(before);
  });

  it('answers as JSON', async () => {
    const examined = await examine('');

    expect(examined).toMatchObject({ code: 0, ok: true });
    expect(examined.checks.map(({ check }) => check)).toEqual(ALL);
    expect(examined.checks.every(({ result }) => result === 'ok')).toBe(true);
  });

  it('names each thing that is missing, with what to do, and skips what needs it', async () => {
    const noNamespace = await here.millrace('doctor -n prd');
    const noTable = await examine(' --table nowhere');
    const unnamed = await examine('', { MILLRACE_TABLE: '' });
    const noEndpoint = await examine(' --endpoint http://127.0.0.1:1');
    const badEndpoint = await examine(' --endpoint here');
    const noKeys = await examine('', { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' });
    const noRegion = await examine('', { AWS_REGION: '' });

    expect(noNamespace.code).toBe(1);
    expect(noNamespace.out).toContain(
      'fail  namespace     there is no namespace "prd"; check --namespace, or run "millrace namespace register prd"\nskip  limits        needs a namespace\n',
    );
    for (const [examined, check] of [
      [noTable, 'table'],
      [unnamed, 'table'],
      [noEndpoint, 'endpoint'],
      [badEndpoint, 'endpoint'],
      [noKeys, 'credentials'],
      [noRegion, 'region'],
    ] as const) {
      const failed = examined.checks.filter(({ result }) => result === 'fail');

      expect(examined).toMatchObject({ code: 1, ok: false });
      expect(failed).toMatchObject([{ check, todo: expect.any(String) }]);
      expect(resultOf(examined, 'limits')).toBe('skip');
    }
  });

  it('says that a namespace is deleted, and how it comes back', async () => {
    await here.answer('namespace register old');
    await here.answer('namespace delete old --yes');

    expect((await here.millrace('doctor -n old')).out).toContain(
      'fail  namespace     namespace "old" is deleted; run "millrace namespace recover old"\n',
    );
  });

  it('warns of an index that an older table lacks, says what to do, and that done, is content', async () => {
    const table = 'millrace-older';
    await createOlderTable(here.engine, table);

    const warned = await here.millrace(`doctor --table ${table}`);
    const upgraded = await here.millrace(`table upgrade --table ${table}`);
    const again = await here.millrace(`table upgrade --table ${table}`);

    expect(warned.out).toContain(
      'warn  usage index   "windows" is missing: "usage top" and seals are refused; ' +
        'deploy the construct of this release, or run "millrace table upgrade" where there is none\n',
    );
    expect(upgraded).toMatchObject({ code: 0, out: 'index "windows" was added, and is usable\n', err: '' });
    expect(again).toMatchObject({ code: 0, out: 'there was nothing to do\n', err: '' });
    expect((await here.millrace(`doctor --table ${table}`)).out).toContain('ok    usage index   "windows" can be queried\n');
  });

  it("fails for a clock that is wrong by more than 250 ms, which it hears from the server's own", async () => {
    const behindMs = 90_000;
    const server = createServer((_, response) => {
      response.setHeader('date', new Date(Date.now() - behindMs).toUTCString());
      response.end('healthy');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;

    const { checks } = await examine(` --endpoint http://127.0.0.1:${port}`);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));

    expect(checks.find(({ check }) => check === 'clock')).toMatchObject({
      result: 'fail',
      found: expect.stringMatching(/^this machine's clock is about 1 min (29|30|31) s ahead of the server's$/),
      todo: expect.stringContaining('NTP'),
    });
  });
});
