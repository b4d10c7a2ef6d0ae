import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, lines, openCommandLine } from './command-line.js';

let here: CommandLine;
let folder: string;
beforeAll(async () => {
  here = await openCommandLine({ withTable: false });
  folder = await mkdtemp(join(tmpdir(), 'millrace-cost-'));
});
afterAll(async () => {
  await here.close();
  await rm(folder, { recursive: true });
});

/** Nothing that leads to AWS, nor to a table. */
const NOTHING = {
  AWS_ACCESS_KEY_ID: undefined,
  AWS_SECRET_ACCESS_KEY: undefined,
  AWS_REGION: undefined,
  MILLRACE_TABLE: undefined,
  AWS_ENDPOINT_URL_DYNAMODB: undefined,
};

interface CostDocument {
  readonly region: string;
  readonly perMonth: {
    readonly parts: readonly { readonly part: string; readonly usd: number }[];
    readonly total: { readonly usd: number };
  };
  readonly perMillion: { readonly total: { readonly writeUnits: number } };
  readonly perHour: { readonly readUnits: number; readonly writeUnits: number };
  readonly peer?: readonly { readonly basis: string; readonly readUnits: number; readonly writeUnits: number; readonly usd: number }[];
}

function answer(words: string): Promise<CostDocument> {
  return here.answer(words, { env: NOTHING });
}

describe('millrace cost', () => {
  it('prints the bill of a scenario, by part, by time and by capacity mode, without AWS', async () => {
    const { code, out, err } = await here.millrace('cost --scenario simple --usage-windows 0 --storage 0', { env: NOTHING });

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      lines(
        '7,200,000 acquires a month of 30 days, prices of us-east-1, on demand, without the free tier',
        '',
        'What a million acquires take and cost, and what all of the month cost:',
        'part      requests  read units  write units    cost  cost of the month',
        'acquire  1,000,000           0    1,000,000  $0.625             $4.500',
        'in all   1,000,000           0    1,000,000  $0.625             $4.500',
        '',
        'each    requests  read units  write units     cost',
        'hour      10,000           0       10,000  $0.0063',
        'day      240,000           0      240,000  $0.150',
        'month  7,200,000           0    7,200,000  $4.500',
        '',
        'reads and writes  reads/s  writes/s  a month',
        'on demand               -         -   $4.500',
        'provisioned             1         4   $1.966',
        'reserved 1 year       100       100  $25.81',
        'reserved 3 years      100       100  $12.90',
        '',
        'If the load is steady: provisioned at 70.0 % of use, cheaper than on demand above 28.9 %;',
        'a hundred reserved units (1 year) are cheaper than on demand from 34.5 M writes a month, than provisioned from 83.5 M.',
      ),
    );
  });

  it('has parts that sum to the whole, and an hour that is a part of the month', async () => {
    const { perMonth, perHour } = await answer('cost --scenario hierarchical --usage-windows 0');

    expect(perMonth.parts.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(perMonth.total.usd, 9);
    expect(perHour.writeUnits).toBeCloseTo(15_000, 6);
    expect(perHour.readUnits).toBeCloseTo(650, 6);
  });

  it('takes a scenario with what else is typed in place of its figures', async () => {
    const workload = 'cost --scenario simple --cascade 50% --depth 3 --acquires-per-write 10 --adjusts 1 --usage-windows 0';

    expect((await answer(workload)).perMillion.total.writeUnits).toBeCloseTo(200_000 + 2_000_000, 3);
  });

  it('shows the published figures of the closest peer beside ours, and what is billed of them', async () => {
    const { peer } = await answer('cost --scenario hierarchical --compare');
    const text = await here.millrace('cost --scenario hierarchical --compare', { env: NOTHING });

    expect(peer?.[0]).toMatchObject({ basis: 'published', readUnits: 15_600 * 720, writeUnits: 25_000 * 720 });
    expect(peer?.map(({ basis }) => basis)).toContain('corrected');
    expect(text.out).toContain('published  slow path ');
    expect(text.out).toMatch(/estimated {2}ours, in all/);
    expect((await answer('cost --scenario hierarchical')).peer).toBeUndefined();
  });

  it('shows how often the cache of the configuration is hit', async () => {
    const { out } = await here.millrace('cost --config-cache', { env: NOTHING });
    const { rows } = (await here.answer('cost --config-cache --config-ttl 30', { env: NOTHING })) as { rows: readonly unknown[] };

    expect(out).toBe(
      lines(
        'One entity in one process, a life of 60 s; reads are to an acquire',
        '',
        'acquires/s       hits  items read  read units  peer: hits  peer: reads',
        '         1   99.992 %      0.0962      0.0481     98.33 %         0.05',
        '        10  100.000 %     0.00978     0.00489     99.83 %        0.005',
        '       100  100.000 %     0.00098     0.00049     99.98 %       0.0005',
      ),
    );
    expect(rows).toHaveLength(3);
  });
});

describe('prices', () => {
  it('come from a file where a region is not built in, or has changed', async () => {
    const file = join(folder, 'prices.json');
    await writeFile(file, '{ "usdPerMillionWriteUnits": 1.25 }');
    const { perMonth } = await answer(`cost --scenario simple --usage-windows 0 --storage 0 --prices ${file} --region us-west-2`);

    expect(perMonth.total.usd).toBeCloseTo(9, 9);
  });

  it('are those of AWS_REGION unless --region says otherwise, and where it has none, what to do is said', async () => {
    const priced = async (region: string, more = '') =>
      here.millrace(`cost --scenario simple --json ${more}`.trim(), { env: { ...NOTHING, AWS_REGION: region } });

    expect((await priced('us-west-2')).json).toMatchObject({ region: 'us-west-2' });
    expect((await priced('eu-west-1', '--region us-east-2')).json).toMatchObject({ region: 'us-east-2' });
    const { code, error } = await priced('eu-west-1');
    expect(code).toBe(64);
    expect(error.hint).toContain('--prices <file>');
  });

  it('that cannot be read, or are none, are an error before anything is printed', async () => {
    const [noJson, noPrice] = [join(folder, 'broken.json'), join(folder, 'unknown.json')];
    await writeFile(noJson, '{');
    await writeFile(noPrice, '{ "writes": 1 }');
    const failed = async (words: string) => {
      const { code, out, error } = await here.millrace(`${words} --json`, { env: NOTHING });
      return { code, out, error: error.code, message: error.message };
    };

    expect(await failed('cost --scenario simple --prices /nowhere.json')).toEqual({
      code: 64,
      out: '',
      error: 'FILE',
      message: 'cannot read the prices "/nowhere.json": there is no such file',
    });
    expect(await failed(`cost --scenario simple --prices ${noJson}`)).toMatchObject({ code: 64, error: 'FILE' });
    expect(await failed(`cost --scenario simple --prices ${noPrice}`)).toMatchObject({ code: 64, error: 'VALIDATION' });
    expect(await failed('cost --scenario simple --region eu-west-1')).toMatchObject({
      code: 64,
      message: 'region must be one of us-east-1, us-east-2, us-west-2, or given with all its prices, got "eu-west-1"',
    });
  });
});

describe('a workload that cannot be', () => {
  it.each([
    ['cost', 'no workload is named'],
    ['cost --scenario huge', 'option "scenario" must be one of simple, hierarchical, 10k-day, 1m-day, mixed, got "huge"'],
    ['cost --acquires 10', 'option "acquires" must be a number per second, minute, hour, day or month (10000/hour), got "10"'],
    ['cost --scenario simple --cascade 2', 'option "cascade" must be a share from 0 to 1, or from 0% to 100%, got "2"'],
    ['cost --scenario simple --depth 10', 'depth must be a whole number from 1 to 9, got 10'],
    ['cost --scenario simple --target-utilisation 0', 'option "target-utilisation" must be above 0'],
  ])('%j ends with 64 and says what is wrong', async (words, message) => {
    const { code, out, error } = await here.millrace(`${words} --json`, { env: NOTHING });

    expect({ code, out, message: error.message }).toEqual({ code: 64, out: '', message });
  });
});
