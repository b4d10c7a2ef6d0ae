import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, lines, openCommandLine } from './command-line.js';

let here: CommandLine;
let folder: string;
beforeAll(async () => {
  [here, folder] = await Promise.all([openCommandLine(), mkdtemp(join(tmpdir(), 'millrace-cli-'))]);
});
afterAll(async () => {
  await here.close();
  await rm(folder, { recursive: true });
});

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const MANIFEST = `
name: tenants
system:
  limits: ['rpm:60/min']
  onUnavailable: allow
resources:
  gpt-4: ['rpm:500/min', 'tpm:800000/min:1000000']
entities:
  key-1:
    default: ['rpm:100/min']
    resources:
      gpt-4: ['rpm:1000/min']
`;
const SMALLER = MANIFEST.replace(/entities:[\s\S]*$/, '');

describe('millrace limits', () => {
  it('plan shows what an apply would change, and writes nothing', async () => {
    const path = await file('limits.yaml', MANIFEST);
    await here.answer('resource limits set gpt-4 rpm:5/min');
    const planned = await here.millrace(`limits plan -f ${path}`);

    expect(planned).toMatchObject({ code: 0, err: '' });
    expect(planned.out).toBe(
      lines(
        'action  target                 before     after',
        'create  system                 -          rpm:60/min',
        'update  resource/gpt-4         rpm:5/min  rpm:500/min tpm:800000/min:1000000',
        'create  entity/key-1           -          rpm:100/min',
        'create  entity/key-1/gpt-4     -          rpm:1000/min',
        'create  system/on-unavailable  -          allow',
        '',
        '4 to create, 1 to update, 0 to delete, 0 unchanged',
      ),
    );
    expect(await here.millrace(`limits plan -f ${path} --exit-code`)).toMatchObject({ code: 2, out: planned.out });
    expect(await here.answer(`limits plan -f ${path}`)).toMatchObject({
      manifest: 'tenants',
      changes: [{ action: 'create', target: 'system' }, {}, {}, {}, {}],
      summary: { create: 4, update: 1, delete: 0, unchanged: 0 },
    });
    expect(await here.answer('entity limits list key-1')).toMatchObject({ levels: [] });
  });

  it('apply makes it so and shows progress; the plan after it is empty', async () => {
    const path = await file('limits.yaml', MANIFEST);
    const applied = await here.millrace(`limits apply -f ${path}`);

    expect(applied.code).toBe(0);
    expect(applied.out).toMatch(
      /^action {2}target +before +after\ncreate {2}system .*\n\n4 created, 1 updated, 0 deleted, 0 unchanged\n$/s,
    );
    expect(applied.err).toMatch(/^applied: 0 of \d\n(applied: \d of \d\n)*applied: (\d) of \2\n$/);
    expect((await here.millrace(`limits plan -f ${path} --exit-code`)).out).toBe('0 to create, 0 to update, 0 to delete, 5 unchanged\n');
    expect(await here.millrace(`limits plan -f ${path} --exit-code`)).toMatchObject({ code: 0 });
    expect(await here.answer(`limits apply -f ${path}`)).toEqual({
      manifest: 'tenants',
      changes: [],
      summary: { create: 0, update: 0, delete: 0, unchanged: 5 },
    });
    expect(await here.answer('explain key-1 gpt-4')).toMatchObject({ source: 'entity', onUnavailable: 'allow' });
  });

  it('diff ends with 2 where a hand has changed something, and with 0 where nothing differs', async () => {
    const path = await file('limits.yaml', MANIFEST);
    expect(await here.millrace(`limits diff -f ${path}`)).toMatchObject({
      code: 0,
      out: 'no differences: the table is as the manifest says\n',
    });
    await here.answer('resource limits set gpt-4 rpm:9/min');
    await here.answer('entity limits delete key-1 --yes');
    const diff = await here.millrace(`limits diff -f ${path}`);
    const json = await here.millrace(`limits diff -f ${path} --json`);

    expect(diff).toMatchObject({ code: 2, err: '' });
    expect(diff.out).toBe(
      lines(
        'difference  target          manifest                            table',
        'changed     resource/gpt-4  rpm:500/min tpm:800000/min:1000000  rpm:9/min',
        'missing     entity/key-1    rpm:100/min                         -',
        '',
        '2 differences',
      ),
    );
    expect(json).toMatchObject({ code: 2, err: '' });
    expect(json.json).toMatchObject({ manifest: 'tenants', drift: [{ kind: 'changed' }, { kind: 'missing', target: 'entity/key-1' }] });
    await here.answer(`limits apply -f ${path}`);
  });

  it('apply deletes what earlier applies made, and nothing else, when that is confirmed', async () => {
    const path = await file('smaller.yaml', SMALLER);
    await here.answer('entity limits set key-2 rpm:1/min');

    expect(await here.millrace(`limits apply -f ${path}`)).toMatchObject({
      code: 64,
      out: '',
      err: lines(
        'error: this deletes limits of 2 levels that manifest "tenants" no longer has, and nobody can be asked here',
        'hint: add --yes if that is what you want',
      ),
    });
    expect(await here.millrace(`limits apply -f ${path} --no-prune`)).toMatchObject({
      code: 0,
      out: '0 created, 0 updated, 0 deleted, 3 unchanged\n',
    });
    expect((await here.millrace(`limits apply -f ${path} --yes`)).out).toBe(
      lines(
        'action  target              before        after',
        'delete  entity/key-1        rpm:100/min   -',
        'delete  entity/key-1/gpt-4  rpm:1000/min  -',
        '',
        '0 created, 0 updated, 2 deleted, 3 unchanged',
      ),
    );
    expect(await here.answer('entity limits list key-2')).toMatchObject({ levels: [{ limits: [{ name: 'rpm' }] }] });
  });

  it('reads a manifest from stdin, and a file named .json as JSON only', async () => {
    const json = await file('limits.json', JSON.stringify({ name: 'other', resources: { api: ['rps:1/sec'] } }));
    const yaml = await file('yaml.json', MANIFEST);

    expect(await here.answer('limits plan -f -', { stdin: SMALLER })).toMatchObject({ summary: { unchanged: 3 } });
    expect(await here.answer(`limits plan -f ${json}`)).toMatchObject({ manifest: 'other', summary: { create: 1 } });
    expect(await here.millrace(`limits plan -f ${yaml}`)).toMatchObject({ code: 64 });
  });

  it('tells all mistakes of a manifest with their lines, and sends nothing', async () => {
    const path = await file('bad.yaml', 'resources:\n  a: [rpm=1]\n  b: ["rpm:1/min", "rpm:2/min"]\nentity: {}\n');
    const bad = await here.millrace(`limits apply -f ${path} --endpoint http://127.0.0.1:1`);

    expect(bad).toMatchObject({ code: 64, out: '' });
    expect(bad.err).toContain('error: the manifest has 3 mistakes:\n');
    expect(bad.err).toContain('  line 2, resources.a[0]: limit must be written as name:tokens/period');
    expect(bad.err).toContain('  line 3, resources.b[1]: limit "rpm" is given twice\n');
    expect(bad.err).toContain('  line 4, entity: unknown key');
    expect(await here.millrace(`limits diff -f ${path} --json`)).toMatchObject({ code: 64, error: { issues: [{}, {}, {}] } });
  });

  it('says that it cannot read a file that is not there, or is none', async () => {
    expect(await here.millrace('limits plan -f nowhere.yaml')).toMatchObject({
      code: 64,
      err: lines(
        'error: cannot read the manifest "nowhere.yaml": there is no such file',
        'hint: give the path of a YAML or JSON file, or - for stdin',
      ),
    });
    expect(await here.millrace(`limits diff -f ${folder} --json`)).toMatchObject({ code: 64, error: { code: 'FILE' } });
    expect(await here.millrace('limits apply')).toMatchObject({
      code: 64,
      err: lines("error: required option '-f, --file <path>' not specified", 'hint: see millrace limits apply --help'),
    });
  });

  it('works on the namespace that the manifest is written for, and on no other', async () => {
    await here.answer('namespace register acme');
    const path = await file('acme.yaml', `namespace: acme\n${SMALLER}`);

    await here.answer(`limits apply -f ${path}`);
    expect(await here.answer('resource list -n acme')).toMatchObject({ resources: [{ resource: 'gpt-4' }] });
    expect(await here.millrace(`limits apply -f ${path} -n default`)).toMatchObject({
      code: 64,
      err: 'error: namespace of the manifest must be that of the limiter which applies it, got "acme"\n',
    });
  });
});
