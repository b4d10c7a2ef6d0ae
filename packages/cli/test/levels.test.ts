import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, lines, openCommandLine, steady } from './command-line.js';

let here: CommandLine;
beforeAll(async () => {
  here = await openCommandLine();
});
afterAll(() => here.close());

const rpm = { name: 'rpm', refill: 500, periodMs: 60_000, capacity: 500, reserve: 0.02 };
const tpm = { name: 'tpm', refill: 800_000, periodMs: 60_000, capacity: 1_000_000, reserve: 0.02 };
const stored = { version: expect.any(Number), updatedAt: expect.any(String) };

describe('millrace resource', () => {
  it('sets limits, as arguments and as options, and shows what is there then', async () => {
    const { code, out, err } = await here.millrace('resource limits set gpt-4 rpm:500/min --limit tpm:800000/min:1000000');

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(steady(out)).toBe(
      lines(
        'resource gpt-4, since 2000-01-01T00:00:00Z',
        '',
        'limit   tokens  per   capacity',
        'rpm        500  min        500',
        'tpm    800,000  min  1,000,000',
      ),
    );
    expect(await here.answer('resource limits set openai/gpt-4 --limit rpm:500/min')).toEqual({
      level: 'resource',
      resource: 'openai/gpt-4',
      limits: [rpm],
      ...stored,
    });
  });

  it('gets them, and says where there are none', async () => {
    expect(await here.answer('resource limits get gpt-4')).toEqual({ level: 'resource', resource: 'gpt-4', limits: [rpm, tpm], ...stored });
    expect(await here.millrace('resource limits get none')).toMatchObject({
      code: 0,
      out: 'resource none has no limits of its own; "millrace explain" shows which hold\n',
    });
    expect(await here.answer('resource limits get none')).toEqual({ level: 'resource', resource: 'none', limits: null });
  });

  it('lists resources with their limits, a page at a time', async () => {
    expect((await here.millrace('resource list')).out).toBe(
      lines('resource      limits', 'gpt-4         rpm:500/min tpm:800000/min:1000000', 'openai/gpt-4  rpm:500/min'),
    );
    const first = await here.millrace('resource list --limit 1');
    expect(first).toMatchObject({ code: 0, err: 'more: go on with --after gpt-4\n' });
    expect(await here.answer('resource list --limit 1 --after gpt-4')).toEqual({
      resources: [{ resource: 'openai/gpt-4', limits: [rpm] }],
    });
  });

  it('lists the entities with limits of their own for a resource', async () => {
    await here.answer('entity limits set key-1 rpm:1/min --resource gpt-4');

    expect((await here.millrace('resource entities gpt-4')).out).toBe(lines('entity', 'key-1'));
    expect(await here.answer('resource entities gpt-4')).toEqual({ resource: 'gpt-4', entities: ['key-1'] });
    expect((await here.millrace('resource entities none')).out).toBe('no entity has limits of its own for none\n');
    expect(await here.millrace(['resource', 'entities', ''])).toMatchObject({ code: 64 });
    expect(await here.millrace('resource list --limit 0')).toMatchObject({
      code: 64,
      err: 'error: option "--limit" must be a whole number from 1 to 1000, got "0"\n',
    });
  });

  it('refuses a limit that is none, and sends nothing', async () => {
    const { code, error } = await here.millrace('resource limits set gpt-4 rpm=1 --json --endpoint http://127.0.0.1:1');

    expect(code).toBe(64);
    expect(error).toMatchObject({ code: 'VALIDATION', subject: 'limit', value: 'rpm=1' });
    expect(await here.millrace('resource limits set gpt-4')).toMatchObject({ code: 64, err: expect.stringContaining('limits must be') });
  });

  it('deletes them when that is confirmed; that there were none is no failure', async () => {
    expect(await here.millrace('resource limits delete gpt-4')).toMatchObject({
      code: 64,
      out: '',
      err: lines(
        'error: this deletes the limits of resource gpt-4, and nobody can be asked here',
        'hint: add --yes if that is what you want',
      ),
    });
    expect(await here.millrace('resource limits delete gpt-4 --yes')).toMatchObject({
      code: 0,
      out: 'deleted the limits of resource gpt-4\n',
    });
    expect(await here.answer('resource limits delete gpt-4 --yes')).toEqual({ level: 'resource', resource: 'gpt-4', deleted: false });
    expect(await here.millrace('resource limits delete gpt-4 --yes')).toMatchObject({
      code: 0,
      out: 'resource gpt-4 had no limits of its own; nothing was deleted\n',
    });
  });
});

describe('millrace system', () => {
  it('sets, gets and deletes the limits of all that has no others', async () => {
    expect(steady((await here.millrace('system limits set rpm:500/min')).out)).toBe(
      lines('the system, since 2000-01-01T00:00:00Z', '', 'limit  tokens  per  capacity', 'rpm       500  min       500'),
    );
    expect(await here.answer('system limits get')).toEqual({ level: 'system', limits: [rpm], ...stored });
    expect(await here.millrace('system limits set rpm:0/min --json')).toMatchObject({ code: 64, error: { code: 'VALIDATION' } });
    expect(await here.millrace('system limits delete')).toMatchObject({ code: 64 });
    expect(await here.answer('system limits delete --yes')).toEqual({ level: 'system', deleted: true });
    expect(await here.answer('system limits get')).toEqual({ level: 'system', limits: null });
  });

  it('stores what callers do when DynamoDB cannot be reached, and leaves limits alone', async () => {
    await here.answer('system limits set rpm:500/min');

    expect((await here.millrace('system on-unavailable')).out).toBe('nothing is stored: callers block unless they say otherwise\n');
    expect((await here.millrace('system on-unavailable allow')).out).toBe('allow\n');
    expect(await here.answer('system on-unavailable')).toEqual({ onUnavailable: 'allow' });
    expect(await here.answer('system on-unavailable unset')).toEqual({ onUnavailable: null });
    expect(await here.answer('system limits get')).toMatchObject({ limits: [rpm] });
    expect(await here.millrace('system on-unavailable maybe')).toMatchObject({
      code: 64,
      out: '',
      err: 'error: the policy must be one of block, allow, unset, got "maybe"\n',
    });
  });
});
