import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, lines, openCommandLine, steady } from './command-line.js';

let here: CommandLine;
beforeAll(async () => {
  here = await openCommandLine();
});
afterAll(() => here.close());

const NOT_FOUND = (id: string) => lines(`error: there is no entity "${id}"`, 'hint: "millrace entity list" shows those there are');

describe('millrace entity', () => {
  it('creates entities, below others or below none', async () => {
    const created = await here.millrace('entity create org');
    const below = await here.answer('entity create project-1 --parent org --cascade');

    expect(created).toMatchObject({ code: 0, err: '' });
    expect(steady(created.out)).toBe(lines('created', '', 'entity   org', 'created  2000-01-01T00:00:00Z'));
    expect(below).toEqual({ id: 'project-1', parent: 'org', cascade: true, ancestors: ['org'], createdAt: expect.any(String) });
    await here.answer('entity create key-1 --parent project-1 --cascade');
    await here.answer('entity create key-2 --parent project-1');
  });

  it('refuses one that exists, and a parent that does not', async () => {
    expect(await here.millrace('entity create org')).toMatchObject({ code: 1, err: expect.stringContaining('error: entity "org" exists') });
    expect(await here.millrace('entity create key-3 --parent nobody --json')).toMatchObject({
      code: 1,
      error: { code: 'ENTITY_NOT_FOUND' },
    });
    expect(await here.millrace('entity create key-3 --cascade')).toMatchObject({ code: 64 });
  });

  it('shows where one stands, how it is treated, and its own limits', async () => {
    await here.answer('entity limits set key-1 rpm:100/min');
    await here.answer('entity limits set key-1 rpm:1000/min --resource gpt-4');

    expect(steady((await here.millrace('entity show key-1')).out)).toBe(
      lines(
        'entity      key-1',
        'parent      project-1',
        'cascade     yes',
        'ancestors   project-1, org',
        'created     2000-01-01T00:00:00Z',
        'treated as  limited as its limits say',
        '',
        'resource   limit  tokens  per  capacity  managed by',
        '(default)  rpm       100  min       100  -',
        'gpt-4      rpm     1,000  min     1,000  -',
      ),
    );
    expect(await here.answer('entity show key-1')).toMatchObject({
      id: 'key-1',
      created: true,
      parent: 'project-1',
      ancestors: ['project-1', 'org'],
      control: { mode: 'enforce' },
      limits: [{ limits: [{ name: 'rpm', refill: 100 }] }, { resource: 'gpt-4', limits: [{ refill: 1000 }] }],
    });
    expect(await here.millrace('entity show nobody')).toMatchObject({ code: 1, out: '', err: NOT_FOUND('nobody') });
  });

  it('shows one that was never created but has limits', async () => {
    await here.answer('entity limits set guest rpm:1/min');

    expect((await here.millrace('entity show guest')).out).toContain(
      lines('entity      guest', 'created     no', 'treated as  limited as its limits say'),
    );
    expect(await here.answer('entity show guest')).toMatchObject({ id: 'guest', created: false });
  });

  it('lists entities and children, a page at a time', async () => {
    expect((await here.millrace('entity list')).out).toBe(lines('entity', 'key-1', 'key-2', 'org', 'project-1'));
    expect(await here.answer('entity list --limit 2')).toEqual({ entities: ['key-1', 'key-2'], next: 'key-2' });
    expect(await here.answer('entity list --limit 2 --after key-2')).toEqual({ entities: ['org', 'project-1'] });
    expect(await here.millrace('entity list --limit 1001')).toMatchObject({ code: 64 });

    expect((await here.millrace('entity children project-1')).out).toBe(lines('entity', 'key-1', 'key-2'));
    expect(await here.answer('entity children project-1')).toEqual({ parent: 'project-1', entities: ['key-1', 'key-2'] });
    expect((await here.millrace('entity children key-1')).out).toBe('nothing stands below key-1\n');
    expect(await here.millrace('entity children nobody')).toMatchObject({ code: 1, err: NOT_FOUND('nobody') });
  });

  it('moves one with all below it', async () => {
    await here.answer('entity create org-2');

    expect(steady((await here.millrace('entity move project-1 --parent org-2')).out)).toBe(
      lines(
        'moved',
        '',
        'entity     project-1',
        'parent     org-2',
        'cascade    yes',
        'ancestors  org-2',
        'created    2000-01-01T00:00:00Z',
      ),
    );
    expect(await here.answer('entity show key-1')).toMatchObject({ ancestors: ['project-1', 'org-2'] });
    expect(await here.answer('entity move key-2 --root')).not.toHaveProperty('parent');
    expect(await here.answer('entity move project-1 --no-cascade')).toMatchObject({ parent: 'org-2', cascade: false });
    expect(await here.millrace('entity move org-2 --parent key-1')).toMatchObject({
      code: 64,
      err: expect.stringContaining('option "--parent" must be'),
    });
    expect(await here.millrace('entity move org-2 --parent org --root')).toMatchObject({
      code: 64,
      err: 'error: --parent and --root exclude each other\nhint: leave one of them out\n',
    });
    expect(await here.millrace('entity move org-2 --json')).toMatchObject({
      code: 64,
      error: { code: 'USAGE', message: 'nothing says where to' },
    });
  });

  it('deletes one when that is confirmed, and what stands below only when that is said', async () => {
    await Promise.all([1, 2, 3].map((number) => here.answer(`entity create child-${number} --parent project-1`)));

    expect(await here.millrace('entity delete org-2')).toMatchObject({
      code: 64,
      err: lines(
        'error: this deletes entity "org-2" with its limits and buckets, and nobody can be asked here',
        'hint: add --yes if that is what you want',
      ),
    });
    expect(await here.millrace('entity delete org-2 --yes')).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /delete them first, or together with --children\nhint: move them elsewhere, or delete them too with --children\n$/,
      ),
    });
    const done = await here.millrace('entity delete org-2 --children --yes');

    expect(done).toMatchObject({ code: 0, out: 'deleted entity org-2 and 5 below it\n' });
    expect(done.err).toBe('');
    expect(await here.answer('entity delete key-2 --yes')).toEqual({ entity: 'key-2', deleted: 1 });
    expect(await here.answer('entity list')).toEqual({ entities: ['org'] });
    expect(await here.millrace('entity delete key-2 --yes --json')).toMatchObject({ code: 1, error: { code: 'ENTITY_NOT_FOUND' } });
  });

  it('works with names of every printable character, emoji and right-to-left text', async () => {
    const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
    for (const name of [ascii, '👩‍💻 key 🔑', 'مفتاح/שלום', '--', "'; drop"]) {
      await here.millrace(['entity', 'create', '--json', '--', name]);
      const shown = await here.millrace(['entity', 'show', '--json', '--', name]);

      expect(shown.json).toMatchObject({ id: name });
      expect(await here.millrace(['entity', 'delete', '--yes', '--', name])).toMatchObject({ code: 0, out: `deleted entity ${name}\n` });
    }
  });
});

describe('millrace entity limits', () => {
  it('sets, gets, lists and deletes the limits of an entity, for one resource or by default', async () => {
    expect(steady((await here.millrace('entity limits set key-9 rpm:5/min --resource gpt-4')).out)).toBe(
      lines('entity key-9 on gpt-4, since 2000-01-01T00:00:00Z', '', 'limit  tokens  per  capacity', 'rpm         5  min         5'),
    );
    expect(await here.answer('entity limits set key-9 --limit rpm:7/hour')).toMatchObject({ level: 'entity-default', entity: 'key-9' });
    expect(await here.answer('entity limits get key-9 --resource gpt-4')).toMatchObject({
      level: 'entity',
      entity: 'key-9',
      resource: 'gpt-4',
      limits: [{ name: 'rpm', refill: 5 }],
    });
    expect((await here.millrace('entity limits get key-9 --resource api')).out).toContain('entity key-9 on api has no limits of its own');
    expect((await here.millrace('entity limits list key-9')).out).toBe(
      lines(
        'resource   limit  tokens  per   capacity  managed by',
        '(default)  rpm         7  hour         7  -',
        'gpt-4      rpm         5  min          5  -',
      ),
    );
    expect(await here.answer('entity limits list key-9 --resource gpt-4')).toMatchObject({
      entity: 'key-9',
      levels: [{ resource: 'gpt-4' }],
    });
    expect((await here.millrace('entity limits list nobody')).out).toBe('entity nobody has no limits of its own\n');
    expect(await here.answer('entity limits delete key-9 --yes')).toEqual({ level: 'entity-default', entity: 'key-9', deleted: true });
    expect((await here.millrace('entity limits delete key-9 --resource gpt-4 --yes')).out).toBe(
      'deleted the limits of entity key-9 on gpt-4\n',
    );
  });

  it('refuses what cannot be', async () => {
    expect(await here.millrace('entity limits set key-9 rpm:5/min rpm:6/min')).toMatchObject({
      code: 64,
      err: expect.stringContaining('limits of different names'),
    });
    expect(await here.millrace('entity limits get')).toMatchObject({
      code: 64,
      err: lines("error: missing required argument 'entity'", 'hint: see millrace entity limits get --help'),
    });
    expect(await here.millrace('entity limits list key-9 --limit x --json')).toMatchObject({ code: 64, error: { code: 'VALIDATION' } });
    expect(await here.millrace('entity limits delete key-9')).toMatchObject({ code: 64 });
  });
});
