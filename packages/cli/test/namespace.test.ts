import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, lines, openCommandLine, steady } from './command-line.js';

let here: CommandLine;
beforeAll(async () => {
  here = await openCommandLine();
});
afterAll(() => here.close());

const acme = { name: 'acme', id: expect.stringMatching(/^[0-9a-f]{12}$/), state: 'active', createdAt: expect.any(String), zone: 'UTC' };

describe('millrace namespace', () => {
  it('registers, and leaves one that is active as it is', async () => {
    const { code, out } = await here.millrace('namespace register acme');
    const again = await here.answer('namespace register acme');

    expect({ code, out: steady(out) }).toEqual({
      code: 0,
      out: lines(
        'registered',
        '',
        'namespace  acme',
        'id         0123456789ab',
        'state      active',
        'created    2000-01-01T00:00:00Z',
        'zone       UTC',
      ),
    });
    expect(again).toEqual({ ...acme, existed: true });
    expect(out).toContain((again as { id: string }).id);
    expect((await here.millrace('namespace register acme')).out).toMatch(
      /^it was registered before; it stays as it is\n\nnamespace {2}acme\n/,
    );
  });

  it('shows one, and fails for one that is not there', async () => {
    expect(await here.answer('namespace show acme')).toEqual(acme);
    expect(steady((await here.millrace('namespace show acme')).out)).toBe(
      lines('namespace  acme', 'id         0123456789ab', 'state      active', 'created    2000-01-01T00:00:00Z', 'zone       UTC'),
    );
    expect(await here.millrace('namespace show acne')).toMatchObject({
      code: 1,
      out: '',
      err: lines(
        'error: there is no namespace "acne"; check the name',
        'hint: "millrace namespace list" shows those there are, "millrace namespace register" makes one',
      ),
    });
  });

  it('lists those of every state', async () => {
    await here.answer('namespace register old');
    await here.answer('namespace delete old --yes');

    expect(steady((await here.millrace('namespace list')).out)).toBe(
      lines(
        'namespace  id            state    created               deleted',
        'acme       0123456789ab  active   2000-01-01T00:00:00Z  -',
        'default    0123456789ab  active   2000-01-01T00:00:00Z  -',
        'old        0123456789ab  deleted  2000-01-01T00:00:00Z  2000-01-01T00:00:00Z',
      ),
    );
    expect(await here.answer('namespace list --limit 1')).toEqual({ namespaces: [acme], next: 'acme' });
    expect(await here.millrace('namespace list --limit many')).toMatchObject({ code: 64 });
  });

  it('never registers one that a command only mentions: the peer did that for every mistyped name', async () => {
    const before = await here.answer('namespace list');
    const commands = [
      'entity list',
      'entity create key-1',
      'resource list',
      'resource limits set gpt-4 rpm:1/min',
      'system limits get',
      'acquire key-1 gpt-4 rpm=1 --limit rpm:1/min',
      'available key-1 gpt-4',
      'explain key-1 gpt-4',
      'audit list',
      'doctor',
    ];

    for (const command of commands) {
      expect(await here.millrace(`${command} --namespace acne`), command).toMatchObject({ code: 1 });
    }
    expect(await here.answer('namespace list')).toEqual(before);
  });

  it('deletes when that is confirmed, so that nothing in it can be acquired, and recovers it as it was', async () => {
    await here.answer('resource limits set gpt-4 rpm:1/min -n acme');

    expect(await here.millrace('namespace delete acme')).toMatchObject({
      code: 64,
      err: lines(
        'error: this closes namespace "acme": every acquire in it fails until it is recovered, and nobody can be asked here',
        'hint: add --yes if that is what you want',
      ),
    });
    expect(await here.answer('namespace delete acme --yes')).toEqual({ ...acme, state: 'deleted', deletedAt: expect.any(String) });
    expect(await here.millrace('explain key-1 gpt-4 -n acme --json')).toMatchObject({ code: 1, error: { code: 'NAMESPACE_STATE' } });
    expect(steady((await here.millrace('namespace recover acme')).out)).toContain('recovered\n\nnamespace  acme\n');
    expect(await here.answer('namespace recover acme')).toEqual(acme);
    expect(await here.answer('resource list -n acme')).toMatchObject({ resources: [{ resource: 'gpt-4' }] });
    expect(await here.millrace('namespace recover acne --json')).toMatchObject({ code: 1, error: { code: 'NAMESPACE_NOT_FOUND' } });
  });

  it('purges only what was deleted before, and frees the name', async () => {
    await here.answer('entity create key-1 -n acme');

    expect(await here.millrace('namespace purge acme')).toMatchObject({ code: 64 });
    expect(await here.millrace('namespace purge acme --yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('error: cannot purge it: namespace "acme" is active; delete it first\n'),
    });
    await here.answer('namespace delete acme --yes');
    const purged = await here.millrace('namespace purge acme --yes');

    expect(purged.code).toBe(0);
    expect(purged.out).toMatch(/^purged namespace acme: \d+ items\n$/);
    expect(purged.err).toBe('');
    expect(await here.answer('namespace purge old --yes')).toEqual({ name: 'old', deleted: expect.any(Number) });
    expect(await here.answer('namespace list')).toMatchObject({ namespaces: [{ name: 'default' }] });
    expect(await here.answer('namespace register acme')).toEqual({ ...acme, existed: false });
    expect(await here.answer('entity list -n acme')).toEqual({ entities: [] });
  });
});
