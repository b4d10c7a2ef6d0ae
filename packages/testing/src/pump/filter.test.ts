import { describe, expect, it } from 'vitest';
import { type FilterPattern, matches } from './filter.js';

const record = { eventName: 'INSERT', userIdentity: null, dynamodb: { NewImage: { seq: { N: '7' }, action: { S: 'limits.set' } } } };

describe('a filter pattern', () => {
  it.each<[FilterPattern, boolean]>([
    [{ eventName: ['INSERT'] }, true],
    [{ eventName: ['MODIFY', 'INSERT'] }, true],
    [{ eventName: ['MODIFY'] }, false],
    [{ dynamodb: { NewImage: { seq: { N: [{ exists: true }] } } } }, true],
    [{ dynamodb: { OldImage: { seq: { N: [{ exists: true }] } } } }, false],
    [{ dynamodb: { OldImage: { seq: { N: [{ exists: false }] } } } }, true],
    // Lambda looks for leaves: an attribute is none, as it has a type.
    [{ dynamodb: { NewImage: { seq: [{ exists: true }] } } }, false],
    [{ userIdentity: [null] }, true],
    [{ dynamodb: { NewImage: { action: { S: [{ prefix: 'limits.' }] } } } }, true],
    [{ dynamodb: { NewImage: { action: { S: [{ prefix: 'entity.' }] } } } }, false],
    [{ dynamodb: { NewImage: { name: { S: [{ prefix: '' }] } } } }, false],
    [{ eventName: [{ 'anything-but': ['REMOVE'] }] }, true],
    [{ eventName: [{ 'anything-but': ['INSERT'] }] }, false],
    [{ absent: [{ 'anything-but': ['INSERT'] }] }, false],
    [{ eventName: ['INSERT'], dynamodb: { NewImage: { seq: { N: ['8'] } } } }, false],
    [{}, true],
  ])('%j: %s', (pattern, expected) => {
    expect(matches(pattern, record)).toBe(expected);
  });

  it('with a rule that the pump does not know is an error, and no silent match', () => {
    expect(() => matches({ eventName: [{ suffix: 'T' } as never] }, record)).toThrow('no rule suffix that this pump knows');
  });
});
