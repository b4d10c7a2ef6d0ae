import { describe, expect, it } from 'vitest';
import { compileCondition } from './condition.js';
import type { StoredItem, Value } from './expression.js';
import { compileUpdate } from './update.js';

const item: StoredItem = { n: { N: '5' }, big: { N: '9007199254740993' }, s: { S: 'b' } };
const values: Record<string, Value> = { ':4': { N: '4' }, ':5': { N: '5' }, ':6': { N: '6' }, ':s': { S: 'b' }, ':1': { N: '1' } };
const scope = { item, names: { '#n': 'n', '#gone': 'gone' }, values };

describe('a condition of the stub', () => {
  it.each([
    ['n = :5', true],
    ['#n <> :5', false],
    ['n < :6 AND n > :4', true],
    ['n BETWEEN :4 AND :5', true],
    ['n BETWEEN :6 AND :6', false],
    ['attribute_exists(#n) AND attribute_not_exists(#gone)', true],
    ['#gone <= :5', false],
    ['attribute_not_exists(#gone) OR #gone <= :5', true],
    ['NOT n = :5 OR s = :s', true],
    ['(n = :6 OR n = :5) AND s = :s', true],
    ['n = :6 AND s = :s OR n = :5', true],
  ])('%s is %s', (text, expected) => {
    expect(compileCondition(text)(scope)).toBe(expected);
  });

  it.each(['n ==', 'n = :5 :6', 'size(n) > :5', 'n ? :5'])('that it does not know is refused: %s', (text) => {
    expect(() => compileCondition(text)(scope)).toThrow(SyntaxError);
  });
});

describe('an update of the stub', () => {
  it('reads all of the old item before it changes any of it', () => {
    expect(compileUpdate('SET n = n + :1, m = n')(scope)).toMatchObject({ n: { N: '6' }, m: { N: '5' } });
  });

  it('knows defaults, differences, additions and removals', () => {
    const changed = compileUpdate('SET #gone = if_not_exists(#gone, :4) - :1 ADD n :6 REMOVE s')(scope);

    expect(changed).toEqual({ n: { N: '11' }, big: item['big'], gone: { N: '3' } });
  });

  it('adds exactly above what a double can hold', () => {
    expect(compileUpdate('SET big = big + :1')(scope)['big']).toEqual({ N: '9007199254740994' });
  });
});
