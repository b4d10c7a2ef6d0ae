import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, lines, openCommandLine } from './command-line.js';

let here: CommandLine;
beforeAll(async () => {
  here = await openCommandLine();
  await here.answer('entity create org');
  await here.answer('entity create key-1 --parent org --cascade');
  await here.answer('resource limits set gpt-4 rpd:20/day');
  await here.answer('entity limits set org rpd:8/day --resource gpt-4');
});
afterAll(() => here.close());

const rpd = (tokens: number) => ({ name: 'rpd', refill: tokens, capacity: tokens, periodMs: 86_400_000, reserve: 0.02 });

describe('millrace explain', () => {
  it('shows which level wins, who else is charged, and how the entity is treated', async () => {
    expect((await here.millrace('explain key-1 gpt-4')).out).toBe(
      lines(
        'entity        key-1',
        'resource      gpt-4',
        'limits of     the resource',
        'also charged  org',
        'treated as    limited as its limits say',
        'unreachable   callers block (nothing is stored)',
        '',
        'entity  limit  tokens  per  capacity  level',
        'key-1   rpd        20  day        20  resource',
        'org     rpd         8  day         8  entity',
      ),
    );
    expect(await here.answer('explain key-1 gpt-4')).toEqual({
      entity: 'key-1',
      resource: 'gpt-4',
      limits: [rpd(20)],
      source: 'resource',
      control: { mode: 'enforce' },
      onUnavailable: null,
      charged: ['org'],
      ancestors: [{ entity: 'org', limits: [rpd(8)], source: 'entity', control: { mode: 'enforce' } }],
      version: expect.any(Number),
      closed: false,
    });
  });

  it('says where no level has any limits', async () => {
    expect((await here.millrace('explain key-1 none')).out).toContain('limits of     no level has any: an acquire needs its own\n');
    expect(await here.answer('explain key-1 none')).toMatchObject({ limits: null, source: null });
  });

  it('fails for a namespace that is not there', async () => {
    expect(await here.millrace('explain key-1 gpt-4 -n prd')).toMatchObject({
      code: 1,
      out: '',
      err: lines(
        `error: table "${here.table}" has no namespace "prd"; register it, or check the name`,
        'hint: "millrace namespace list" shows those there are, "millrace namespace register" makes one',
      ),
    });
  });
});

describe('millrace acquire and available', () => {
  it('takes, and shows what was taken and what is left at each level', async () => {
    const { code, out, err } = await here.millrace('acquire key-1 gpt-4 rpd=3');

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      lines(
        'allowed  taken: rpd 3',
        '',
        'entity  limit  available  capacity  tokens  per',
        'key-1   rpd           17        20      20  day',
        'org     rpd            5         8       8  day',
      ),
    );
    expect((await here.millrace('available key-1 gpt-4')).out).toBe(
      lines(
        'entity  limit  available  capacity  tokens  per',
        'key-1   rpd           17        20      20  day',
        'org     rpd            5         8       8  day',
      ),
    );
  });

  it('answers as JSON', async () => {
    expect(await here.answer('acquire key-1 gpt-4 rpd=1')).toEqual({
      allowed: true,
      entity: 'key-1',
      resource: 'gpt-4',
      settled: 'committed',
      consumed: { rpd: 1 },
      remaining: { rpd: 4 },
      degraded: false,
      shadowViolations: [],
      bypassed: [],
      levels: [
        { entity: 'key-1', limit: rpd(20), available: 16 },
        { entity: 'org', limit: rpd(8), available: 4 },
      ],
    });
    expect(await here.answer('available key-1 gpt-4')).toMatchObject({
      available: { rpd: 4 },
      levels: [{ available: 16 }, { available: 4 }],
    });
  });

  it('ends with 3 when it is refused, says who stands in the way and for how long, and takes nothing', async () => {
    const refused = await here.millrace('acquire key-1 gpt-4 rpd=5');
    const json = await here.millrace('acquire key-1 gpt-4 rpd=5 --json');

    expect(refused).toMatchObject({ code: 3, err: '' });
    expect(refused.out).toMatch(
      /^refused {2}nothing was taken; try again in (3 h|2 h 5\d min)\n\nentity +limit +asked +available +capacity +fits in\n/,
    );
    expect(refused.out).toMatch(/\norg +rpd +5 +4 +8 +(3 h|2 h 5\d min)\n$/);
    expect(json).toMatchObject({ code: 3, err: '' });
    expect(json.json).toMatchObject({
      allowed: false,
      retryAfterMs: expect.any(Number),
      statuses: [{ entity: 'key-1' }, { entity: 'org', exceeded: true }],
    });
    expect(await here.answer('available key-1 gpt-4')).toMatchObject({ levels: [{ available: 16 }, { available: 4 }] });
  });

  it('refuses at once what can never be admitted', async () => {
    expect(await here.millrace('acquire key-1 gpt-4 rpd=9')).toMatchObject({
      code: 64,
      out: '',
      err: expect.stringContaining('at most its capacity'),
    });
    expect(await here.millrace('acquire key-1 gpt-4 tpd=1 --json')).toMatchObject({ code: 64, error: { code: 'VALIDATION' } });
    expect(await here.millrace('acquire key-1 gpt-4 rpd')).toMatchObject({
      code: 64,
      err: 'error: amount must be written as limit=tokens (rpm=1), got "rpd"\n',
    });
    for (const words of ['available key-1 none', 'acquire key-1 none rpd=1']) {
      expect(await here.millrace(words)).toMatchObject({
        code: 64,
        err: lines(
          'error: limits of "key-1" on "none" must be stored for the entity, the resource or the system, or given with --limit',
          'hint: "millrace resource limits set" stores limits for everybody; --limit rpm:500/min gives them for this call',
        ),
      });
    }
  });

  it('says what a bucket in use keeps back, where it shows', async () => {
    const words = 'guest-3 api d=1 --limit d:1000/day';
    const note =
      'a bucket in use keeps back its reserve (20 of 1,000 d), and a request for more waits until it has been full for a while; see "reserve" in the README\n';

    expect(await here.millrace('available guest-3 api --limit d:1000/day')).toMatchObject({ err: '' });
    expect(await here.millrace(`acquire ${words}`)).toMatchObject({ code: 0, err: note });
    expect(await here.millrace('acquire guest-3 api d=990 --limit d:1000/day')).toMatchObject({ code: 3, err: note });
    expect(await here.millrace('available guest-3 api --limit d:1000/day')).toMatchObject({ err: note });
    expect(await here.millrace(`acquire ${words} --json`)).toMatchObject({ err: '' });
  });

  it('gives back at once with --release, and takes limits of its own with --limit', async () => {
    const { code, out } = await here.millrace('acquire guest api rpd=5 --limit rpd:10/day --limit tpd:6/day --release');

    expect(code).toBe(0);
    expect(out).toBe(
      lines(
        'allowed  taken, and given back: rpd 5',
        '',
        'entity  limit  available  capacity  tokens  per',
        'guest   rpd           10        10      10  day',
        'guest   tpd            6         6       6  day',
      ),
    );
    expect(await here.answer('available guest api --limit rpd:10/day')).toMatchObject({ available: { rpd: 10 } });
  });

  it('holds a lease for some seconds, while others see the tokens taken, and gives them back', async () => {
    const held = await here.millrace('acquire guest api rpd=5 --limit rpd:10/day --hold 1');

    expect(held).toMatchObject({ code: 0, err: 'holding the lease, seconds: 0 of 1\n' });
    expect(held.out).toContain('allowed  taken, and given back: rpd 5\n');
    expect(await here.answer('available guest api --limit rpd:10/day')).toMatchObject({ available: { rpd: 10 } });
    expect(await here.millrace('acquire guest api rpd=5 --hold 1 --release')).toMatchObject({
      code: 64,
      err: 'error: --hold and --release exclude each other\nhint: leave one of them out\n',
    });
    expect(await here.millrace('acquire guest api rpd=5 --hold 0')).toMatchObject({ code: 64 });
  });

  it('gives back what it holds when it is interrupted, and ends with 130', async () => {
    const words = 'acquire guest-2 api rpd=5 --limit rpd:10/day --hold 60';
    const interrupted = await here.millrace(words, {
      onStart: (child) => child.stderr?.once('data', () => child.kill('SIGINT')),
    });

    expect(interrupted.code).toBe(130);
    expect(interrupted.out).toContain('allowed  taken, and given back: rpd 5\n');
    expect(await here.answer('available guest-2 api --limit rpd:10/day')).toMatchObject({ available: { rpd: 10 } });
  });
});
