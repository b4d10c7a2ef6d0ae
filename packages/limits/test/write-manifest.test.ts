import { manifest, parseManifest, writeManifest } from '@millrace/limits/manifest';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyManifest } from './any-manifest.js';

const NAMES = ['a', 'b', 'a/b', '%2F', '__proto__', '7'];

describe('a manifest that is written', () => {
  it('is read back as the same manifest', () => {
    fc.assert(
      fc.property(anyManifest('m', NAMES), (source) => {
        const made = manifest(source);
        const read = parseManifest(writeManifest(made), { format: 'json' });
        const byLevel = (levels: typeof made.levels) =>
          levels.map(({ level, limits }) => JSON.stringify([level, [...limits].sort((a, b) => (a.name < b.name ? -1 : 1))])).sort();
        expect(byLevel(read.levels)).toEqual(byLevel(made.levels));
        expect([read.name, read.onUnavailable]).toEqual([made.name, made.onUnavailable]);
      }),
    );
  });

  it('has one text, in whatever order and form it was given', () => {
    const one = writeManifest(manifest({ resources: { b: ['x:1/min', 'a:2/min'], a: ['rpm:60/min'] }, namespace: 'n' }));
    const other = writeManifest(
      manifest({ namespace: 'n', resources: { a: [{ name: 'rpm', refill: 60, per: 'min' }], b: ['a:2/min', 'x:1/min:1'] } }),
    );
    expect(one).toBe('{"name":"default","namespace":"n","resources":{"a":["rpm:60/min"],"b":["a:2/min","x:1/min"]}}');
    expect(other).toBe(one);
  });

  it('says in full what has no short form', () => {
    const limits = [
      { name: 'odd', refill: 1, periodMs: 250 },
      { name: 'whole', refill: 1, periodMs: 1_000, reserve: 0 },
    ];
    expect(JSON.parse(writeManifest(manifest({ system: { onUnavailable: 'allow', limits } })))).toEqual({
      name: 'default',
      system: {
        onUnavailable: 'allow',
        limits: [
          { name: 'odd', refill: 1, periodMs: 250, capacity: 1, reserve: 0.02 },
          { name: 'whole', refill: 1, periodMs: 1_000, capacity: 1, reserve: 0 },
        ],
      },
    });
  });
});
