import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BucketRef, BucketWrite, Move } from '../bucket.js';
import { bucketWriteRequest } from './bucket.js';
import { bucketWriteText } from './bucket-text.js';

const NOW_US = 1_800_000_000_000_000;
const ref: BucketRef = { namespaceId: 'n1', entity: 'key-1', resource: 'gpt-4', shard: 0 };

const anyLimit = fc.constantFrom('rpm', 'tpm', 'a', 'A-b_9', 'constructor');
const anyUs = fc.integer({ min: -1_000, max: Number.MAX_SAFE_INTEGER });
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
/** As a bucket may hold it, whoever wrote it. */
const anyScale = maybe(fc.constantFrom('60000000/1000', '1/1', '"', '\\', '\u2028', ''));

const anyTake: fc.Arbitrary<Move> = fc
  .record({
    form: fc.constantFrom('busy', 'idle'),
    limit: anyLimit,
    tokens: fc.nat(),
    chargeUs: anyUs,
    fromUs: anyUs,
    toUs: maybe(anyUs),
    scale: anyScale,
  })
  .map(({ form, limit, tokens, chargeUs, fromUs, toUs, scale }) => {
    const named = { limit, tokens, chargeUs, ...(scale === undefined ? {} : { scale }) };
    if (form === 'idle') return { form: 'idle', ...named, toUs: toUs ?? 0 };
    return { form: 'busy', ...named, fromUs, ...(toUs === undefined ? {} : { toUs }) };
  });

const anyOther: fc.Arbitrary<Move> = fc.constantFrom<Move>(
  { form: 'credit', limit: 'rpm', tokens: 3, chargeUs: 30 },
  { form: 'revive', limit: 'tpm', tokens: 1 },
  { form: 'rescale', limit: 'rpm', fromTatUs: 1, toTatUs: 2, scale: '2/1' },
  { form: 'drop', limit: 'old', toUs: 9 },
);

const anyRef = fc.record({
  namespaceId: fc.constant('n1'),
  entity: fc.string({ minLength: 1, unit: 'binary' }),
  resource: fc.constantFrom('api', 'openai/gpt-4', '"'),
  shard: fc.nat(31),
});

const anyWrite: fc.Arbitrary<BucketWrite> = fc
  .record({
    ref: anyRef,
    nowUs: fc.nat(NOW_US),
    ttlSec: fc.nat(),
    configVersion: maybe(fc.nat()),
    request: maybe(fc.record({ slot: fc.nat(3), id: anyUs })),
    layout: maybe(fc.constantFrom(1, 66, 132)),
    moves: fc.oneof(
      { weight: 4, arbitrary: fc.uniqueArray(anyTake, { maxLength: 5, selector: ({ limit }) => limit }) },
      { weight: 1, arbitrary: fc.array(anyOther, { maxLength: 1 }) },
    ),
    reshape: fc.option(fc.constant({ form: 'absorb', to: 66 } as const), { nil: undefined, freq: 9 }),
  })
  .map(({ ref: place, nowUs, ttlSec, moves, ...rest }) => {
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    return { ref: place, nowUs, ttlSec, moves, ...given };
  });

describe('the text of a write', () => {
  it('is the JSON of the request, to the letter, of a form that is met for the first time and of one that is known', () => {
    fc.assert(
      fc.property(anyWrite, fc.constantFrom('millrace', '"t"'), (write, table) => {
        const whole = JSON.stringify(bucketWriteRequest(table, write));
        expect(bucketWriteText(table, write)).toBe(whole);
        expect(bucketWriteText(table, write)).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('takes the values of each write, where the form is that of another one', () => {
    const writeAt = (nowUs: number, tokens: number): BucketWrite => ({
      ref,
      nowUs,
      ttlSec: 7,
      configVersion: tokens,
      request: { slot: 1, id: tokens },
      layout: 1,
      moves: [{ form: 'busy', limit: 'rpm', tokens, chargeUs: 2 * tokens, fromUs: nowUs - 5, toUs: nowUs + 5, scale: `${tokens}/1` }],
    });
    for (const write of [writeAt(NOW_US, 1), writeAt(NOW_US + 1, 2), writeAt(NOW_US + 2, 3)]) {
      expect(JSON.parse(bucketWriteText('millrace', write))).toEqual(bucketWriteRequest('millrace', write));
    }
  });

  it('stays right when more forms were met than are remembered', () => {
    const writeOf = (limit: string): BucketWrite => ({
      ref,
      nowUs: NOW_US,
      ttlSec: 7,
      moves: [{ form: 'idle', limit, tokens: 1, chargeUs: 1, toUs: NOW_US }],
    });
    for (let index = 0; index < 1_100; index += 1) bucketWriteText('millrace', writeOf(`limit-${index}`));
    for (const limit of ['limit-0', 'limit-1099']) {
      expect(bucketWriteText('millrace', writeOf(limit))).toBe(JSON.stringify(bucketWriteRequest('millrace', writeOf(limit))));
    }
  });
});
