import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dimensionValue } from './dimension-value.js';

describe('a resource as CloudWatch takes it', () => {
  it.each([
    ['gpt-4', 'gpt-4'],
    ['openai/gpt-4:mini', 'openai/gpt-4:mini'],
    [':gpt', '%3Agpt'],
    ['größe', 'gr%C3%B6%C3%9Fe'],
    [' a b ', '%20a b%20'],
    ['100%', '100%25'],
    ['(other)', '%28other)'],
  ])('%s is %s', (name, value) => {
    expect(dimensionValue(name)).toBe(value);
  });

  it('is printable ASCII of bounded length, and no two resources become one', () => {
    const name = fc.string({ unit: fc.constantFrom('a', ' ', '%', ':', 'ü', '漢', '2', '5', '(', '(other)'), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(name, name, (one, other) => {
        const value = dimensionValue(one);
        expect(value).toMatch(/^(?![: ])[ -~]{1,768}(?<! )$/);
        expect(value === dimensionValue(other)).toBe(one === other);
        expect(value).not.toBe('(other)');
      }),
    );
  });
});
