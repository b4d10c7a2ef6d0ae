import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseManifest } from '@millrace/limits';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { anyName } from '../../core/test/any-name.js';
import { anyLimits, anyManifest } from './any-manifest.js';
import { BAD_MANIFESTS } from './bad-manifests.js';

let accepts: (value: unknown) => boolean;

beforeAll(async () => {
  const file = fileURLToPath(import.meta.resolve('@millrace/limits/manifest.schema.json'));
  const validate = new Ajv({ strict: true, strictRequired: false }).compile(JSON.parse(await readFile(file, 'utf8')));
  accepts = (value) => validate(value);
});

describe('the schema of manifests', () => {
  it('accepts whatever the parser accepts', () => {
    fc.assert(
      fc.property(anyManifest('any', ['a', 'b/c', '%', '日本']), (source) => {
        const text = JSON.stringify(source);
        expect(parseManifest(text).name).toBe('any');
        expect(accepts(JSON.parse(text)), text).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('accepts every name that the parser accepts', () => {
    fc.assert(
      fc.property(anyName, anyName, anyLimits, (name, entity, limits) => {
        const source = {
          name,
          namespace: entity,
          entities: Object.fromEntries([[entity, { resources: Object.fromEntries([[name, limits]]) }]]),
        };
        expect(parseManifest(JSON.stringify(source)).levels).toHaveLength(1);
        expect(accepts(source)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['rpm:500/min', 'rpm:1/s:5', 'a_b-c:1/day', 'x:0001/h', 'x:5/sec', 'x:5/d:0007'])(
    'accepts the short form %s, as the parser does',
    (limit) => {
      const source = { system: { limits: [limit] } };

      expect(parseManifest(JSON.stringify(source)).levels).toHaveLength(1);
      expect(accepts(source)).toBe(true);
    },
  );

  it.each(BAD_MANIFESTS)('refuses $what, as the parser does', ({ value }) => {
    expect(() => parseManifest(JSON.stringify(value))).toThrow('the manifest has');
    expect(accepts(value)).toBe(false);
  });
});
