import { Limit } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { BAD_MANIFESTS } from '../test/bad-manifests.js';
import { type Manifest, ManifestError, type ManifestSource, manifest, parseManifest } from './index.js';

const YAML = `
# What everybody gets.
name: tenants
namespace: prod
system:
  onUnavailable: allow
  limits: [rpm:60/min]
resources:
  gpt-4: &large
    - rpm:500/min
    - { name: tpm, refill: 800000, per: min, capacity: 900000, reserve: 0 }
  "openai/gpt-4": *large
entities:
  key-1:
    default: [rpm:100/min]
    resources:
      gpt-4:
        - name: rpm
          refill: 10
          periodMs: 250
`;

const MEANT: ManifestSource = {
  name: 'tenants',
  namespace: 'prod',
  system: { onUnavailable: 'allow', limits: [Limit.perMinute('rpm', 60)] },
  resources: {
    'gpt-4': [Limit.perMinute('rpm', 500), Limit.perMinute('tpm', 800_000, { capacity: 900_000, reserve: 0 })],
    'openai/gpt-4': ['rpm:500/min', { name: 'tpm', refill: 800_000, per: 'min', capacity: 900_000, reserve: 0 }],
  },
  entities: { 'key-1': { default: ['rpm:100/min'], resources: { 'gpt-4': [Limit.of({ name: 'rpm', refill: 10, periodMs: 250 })] } } },
};

/** What was wrong with a text. */
function mistakes(text: string, format?: 'json'): ManifestError {
  try {
    parseManifest(text, format === undefined ? {} : { format });
  } catch (error) {
    if (error instanceof ManifestError) return error;
    throw error;
  }
  throw new Error('the manifest was accepted');
}

describe('a manifest', () => {
  it('says the same in YAML, in JSON and in TypeScript', () => {
    const meant = manifest(MEANT);

    expect(parseManifest(YAML)).toEqual(meant);
    expect(parseManifest(JSON.stringify(MEANT))).toEqual(meant);
    expect(parseManifest(JSON.stringify(MEANT, null, '\t'), { format: 'json' })).toEqual(meant);
    expect(meant.levels.map(({ level }) => level)).toEqual([
      { level: 'system' },
      { level: 'resource', resource: 'gpt-4' },
      { level: 'resource', resource: 'openai/gpt-4' },
      { level: 'entity-default', entity: 'key-1' },
      { level: 'entity', entity: 'key-1', resource: 'gpt-4' },
    ]);
  });

  it('W-39: loses nothing on the way through a template: capacities and reserves are the same behind JSON', () => {
    const meant = manifest(MEANT);

    const tpm = meant.levels[1]?.limits[1];
    expect(tpm).toMatchObject({ refill: 800_000, capacity: 900_000, reserve: 0 });
    expect(parseManifest(JSON.stringify(MEANT)).levels[1]?.limits[1]).toEqual(tpm);
  });

  it('has a name of its own or is called default, and says nothing that was not written', () => {
    const expected: Manifest = { name: 'default', levels: [] };

    expect(parseManifest('{}')).toEqual(expected);
    expect(parseManifest('resources: {}\nentities: {}\n$schema: ./manifest.schema.json\n')).toEqual(expected);
    expect(manifest({ system: { onUnavailable: 'block' } })).toEqual({ name: 'default', onUnavailable: 'block', levels: [] });
  });

  it.each(BAD_MANIFESTS)('W-39: is refused with $what', ({ value, says }) => {
    const message = expect.stringContaining(says);

    expect(() => manifest(value as ManifestSource)).toThrow(expect.objectContaining({ code: 'VALIDATION', message }));
    expect(mistakes(JSON.stringify(value)).message).toContain(says);
    expect(mistakes(JSON.stringify(value), 'json').message).toContain(says);
  });

  it('tells all mistakes at once, each with its place and line', () => {
    const { issues, message } = mistakes(`name: ''
system:
  onUnavailable: maybe
  limits:
    - rpm:0/min
    - { name: 1pm, refill: -5, per: week, capacity: 1.5 }
resource: {}
resources:
  "gpt 4": []
entities:
  key-1:
    default: [rpm:5/min, rpm:6/min]
`);

    expect(issues.map(({ path, line }) => `${line} ${path.join(' ')}`)).toEqual([
      '7 resource',
      '1 name',
      '5 system limits 0',
      '6 system limits 1 per',
      '6 system limits 1 name',
      '6 system limits 1 refill',
      '6 system limits 1 capacity',
      '3 system onUnavailable',
      '9 resources gpt 4',
      '12 entities key-1 default 1',
    ]);
    expect(message).toContain('the manifest has 10 mistakes:\n  line 7, resource: unknown key');
    expect(message).toContain('\n  line 9, resources["gpt 4"]: must be a list of 1 to 10 limits, got an array of 0');
  });

  it('shows twenty mistakes and keeps the others', () => {
    const { issues, message } = mistakes(`resources: { ${Array.from({ length: 50 }, (_, index) => `r${index}: []`).join(', ')} }`);

    expect(issues).toHaveLength(50);
    expect(message.split('\n')).toHaveLength(22);
    expect(message).toContain('and 30 more');
  });

  it('is refused when parts of a limit are good, but not together', () => {
    const { issues } = mistakes(
      'resources: { a: [{ name: x, refill: 1000000000000, per: sec }, { name: y, refill: 1, per: day, capacity: 9999999 }] }',
    );

    expect(issues.map(({ path, message }) => [path.join(' '), message])).toEqual([
      ['resources a 0', expect.stringContaining('limit "x": rate must be at most')],
      ['resources a 1', expect.stringContaining('limit "y": capacity must be refilled by its rate within 20 years')],
    ]);
  });
});

describe('the text of a manifest', () => {
  it.each([
    ['twice the same key', 'resources:\n  a: [x:1/s]\n  a: [x:2/s]\n', 3, '"a" is given twice'],
    ['the same key in two ways', 'resources:\n  5: [x:1/s]\n  "5": [x:2/s]\n', 3, '"5" is given twice'],
    ['twice the same key in JSON', '{ "name": "a",\n "name": "b" }', 2, '"name" is given twice'],
    ['a merge key', 'resources:\n  a: &a { b: 1 }\n  <<: *a\n', 3, 'merge keys (<<) are not read'],
    ['a key that is a list', 'resources:\n  ? [a]\n  : [x:1/s]\n', 2, 'a key must be plain text'],
    ['an unknown anchor', 'resources:\n  a: *b\n', 2, 'there is no anchor "b" before this alias'],
    ['an anchor within itself', 'resources: &r\n  a: *r\n', 2, 'there is no anchor "r" before this alias'],
    ['code', 'name: !!js/function "function () { throw 1 }"\n', 1, 'Unresolved tag'],
    ['several documents', 'name: a\n---\nname: b\n', 2, 'multiple documents'],
    ['an open bracket', 'resources:\n  a: [x:1/s\n', 3, ']'],
    ['a nest without end', `name: ${'['.repeat(100)}${']'.repeat(100)}`, 1, 'nested more than 50 deep'],
  ])('is refused with %s', (_, text, line, says) => {
    const { issues } = mistakes(text);

    expect(issues[0]?.message).toContain(says);
    expect(issues[0]?.line).toBe(line);
  });

  it('does not exhaust the stack, however deep it is nested', () => {
    expect(mistakes('['.repeat(100_000)).code).toBe('VALIDATION');
  });

  it('takes names as they are written, also those that YAML reads as something else', () => {
    const names = ['0123', '1e3', 'true', '~', 'null', '__proto__', 'constructor', '2026-01-01', 'yes', '日本', '0x10'];
    const { levels } = parseManifest(`resources:\n${names.map((name) => `  ${name}: [rpm:5/min]\n`).join('')}`);

    expect(levels.map(({ level }) => (level.level === 'resource' ? level.resource : undefined))).toEqual(names);
  });

  it('follows aliases, says where what they mean is written, and is bounded in what they multiply', () => {
    const mistaken = mistakes('resources:\n  a: &bad\n    - rpm:0/min\n  b: *bad\n');
    expect(mistaken.issues.map(({ path, line }) => [path.join(' '), line])).toEqual([
      ['resources a 0', 3],
      ['resources b 0', 3],
    ]);

    const many = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
    const resources = many.map((name) => `  ${name}: *l\n`).join('');
    const entities = many.map((name) => `  ${name}: *e\n`).join('');
    const bomb = mistakes(
      `system: { limits: &l [rpm:5/min] }\nentities:\n  first: &e\n    resources:\n${resources.replaceAll('  n', '      n')}${entities}`,
    );
    expect(bomb.issues).toMatchObject([{ message: 'a manifest has at most 100000 levels; divide it into several of different names' }]);
  });

  it('is JSON and nothing else where that is asked for', () => {
    expect(mistakes('{\n "name": a }', 'json').issues).toMatchObject([{ message: expect.stringMatching(/^[^\n]*JSON[^\n]*$/) }]);
    expect(mistakes('{ "name": "a", }', 'json').issues).toHaveLength(1);
    expect(mistakes('name: a', 'json').issues).toHaveLength(1);
    expect(mistakes('', 'json').issues).toHaveLength(1);
    expect(parseManifest('\ufeff{ name: a }').name).toBe('a');
  });

  it.each([
    ['no text', () => parseManifest(5 as never), 'manifest must be text, got 5'],
    ['an unknown format', () => parseManifest('', { format: 'toml' as never }), 'option "format" must be "yaml" or "json", got "toml"'],
    ['an unknown option', () => parseManifest('', { strict: true } as never), 'options key must be one of format, got "strict"'],
  ])('is refused with %s', (_, call, message) => {
    expect(call).toThrow(message);
  });
});
