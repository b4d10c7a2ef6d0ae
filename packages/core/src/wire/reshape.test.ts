import { describe, expect, it } from 'vitest';
import type { BucketWrite, Reshape, Seed } from '../bucket.js';
import { FIRST_LAYOUT, layoutAfter } from '../layout.js';
import { MAX_LIMITS } from '../limit.js';
import { bucketWriteRequest } from './bucket.js';

const NOW_US = 1_800_000_000_000_000;
const TWO = layoutAfter(FIRST_LAYOUT, 2);
const LIMITS = Array.from({ length: MAX_LIMITS }, (_, index) => `${index}`.padStart(32, 'limit-'));
const SCALE = '31622400000000/999999999999';
const seeds = new Map(LIMITS.map((limit): [string, Seed] => [limit, { tatUs: NOW_US, scale: SCALE }]));

const STEPS: readonly Reshape[] = [
  { form: 'split', to: TWO, limits: LIMITS, absent: [] },
  { form: 'split', to: TWO, limits: [], absent: LIMITS },
  { form: 'split', to: TWO, limits: LIMITS.slice(0, 5), absent: LIMITS.slice(5) },
  { form: 'split', to: TWO, limits: [], absent: [] },
  { form: 'birth', to: TWO, seeds },
  { form: 'birth', to: TWO, seeds: new Map() },
  { form: 'born', limits: LIMITS },
  { form: 'intend', to: TWO },
  { form: 'retire', to: TWO },
  { form: 'absorb', to: TWO },
];

const absorbed: BucketWrite['moves'] = LIMITS.map((limit) => ({
  form: 'busy',
  limit,
  tokens: 0,
  chargeUs: -5,
  fromUs: NOW_US,
  scale: SCALE,
}));

function requestOf(reshape: Reshape, details: Partial<BucketWrite> = {}) {
  const ref = { namespaceId: 'ns', entity: 'key', resource: 'model', shard: 1 };
  const moves = reshape.form === 'absorb' ? absorbed : [];
  return bucketWriteRequest('millrace', { ref, nowUs: NOW_US, ttlSec: 1, ...details, reshape, moves });
}

const used = (text: string, sign: string): readonly string[] => [...new Set(text.match(new RegExp(`${sign}\\d+`, 'g')) ?? [])].sort();

describe.each(STEPS.map((reshape, index) => [`${reshape.form} (${index})`, reshape] as const))(
  'the request of a step: %s',
  (_, reshape) => {
    const full: Partial<BucketWrite> = { layout: 66, configVersion: 9, request: { slot: 3, id: 2 ** 52 } };

    it.each([full, {}, { layout: FIRST_LAYOUT }])('names and values all that its expressions use, and nothing else: %j', (details) => {
      const request = requestOf(reshape, details);
      const text = `${request.UpdateExpression} ${request.ConditionExpression}`;

      expect(used(text, '#')).toEqual(Object.keys(request.ExpressionAttributeNames).sort());
      expect(used(text, ':')).toEqual(Object.keys(request.ExpressionAttributeValues).sort());
    });

    it('sets no attribute twice, and removes none that it sets', () => {
      const { UpdateExpression: update } = requestOf(reshape, full);
      const [set = '', remove = ''] = update.split(' REMOVE ');
      const targets = set
        .replace('SET ', '')
        .split(/, (?=#\d+ = )/)
        .map((assignment) => assignment.split(' = ')[0]);

      expect(new Set([...targets, ...remove.split(', ')]).size).toBe(targets.length + remove.split(', ').length);
    });

    it('stays below what DynamoDB takes, with the most limits of the longest names', () => {
      const request = requestOf(reshape, full);

      for (const expression of [request.UpdateExpression, request.ConditionExpression]) {
        expect(expression.length).toBeLessThan(4_096);
        // Operators and functions; DynamoDB takes 300 of them.
        expect(expression.match(/[=<>+-]|AND|OR|BETWEEN|if_not_exists|attribute_(not_)?exists|,/g)?.length ?? 0).toBeLessThan(300);
      }
    });
  },
);

describe('what a step leaves on an item', () => {
  it('is gone again once the split is over, and is no more than a name and a number, and a scale, for each limit', () => {
    const split = requestOf({ form: 'split', to: TWO, limits: ['rpm', 'tpm'], absent: [] });
    const born = requestOf({ form: 'born', limits: ['rpm', 'tpm'] });
    const kept = (names: Record<string, string>) =>
      Object.values(names)
        .filter((name) => /^[sz]\./.test(name))
        .sort();

    expect(kept(split.ExpressionAttributeNames)).toEqual(['s.rpm', 's.tpm', 'z.rpm', 'z.tpm']);
    expect(kept(born.ExpressionAttributeNames)).toEqual(kept(split.ExpressionAttributeNames));
    expect(born.UpdateExpression).toMatch(/ REMOVE #\d+, #\d+, #\d+, #\d+$/);
  });

  it.each([
    { limits: ['rpm', 'tpm'], most: 1_024 },
    { limits: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], most: 1_600 },
    { limits: LIMITS, most: 4_096 },
  ])('keeps an item with seeds, a name in each slot and $limits.length limits below $most bytes', ({ limits, most }) => {
    expect(sizeOf(limits)).toBeLessThan(most);
  });
});

/** What DynamoDB counts for an item while a split is under way: names, texts, and a byte for each two digits of a number. */
function sizeOf(limits: readonly string[]): number {
  const number = (digits: number): number => Math.ceil(digits / 2) + 1;
  const keys = 'PK'.length + 'SK'.length + 40;
  const header = 'seq'.length + number(16) + 'v'.length + 2 + 'ttl'.length + number(10) + 'cv'.length + number(4) + 'n'.length + number(5);
  const slots = 4 * ('q0'.length + number(16));
  const each = (limit: string): number => 6 * (2 + limit.length) + 2 * number(16) + 2 * number(19) + 2 * '60000000/1'.length;
  return keys + header + slots + limits.reduce((sum, limit) => sum + each(limit), 0);
}
