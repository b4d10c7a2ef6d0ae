import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.js';

const anyKey = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('get' as const), anyKey) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('set' as const), anyKey) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('delete' as const), anyKey) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('clear' as const), anyKey) },
);

/** The same with no shortcut: the youngest last. */
class Model {
  readonly forgotten: number[] = [];
  readonly #size: number;
  entries: [string, number][] = [];

  constructor(size: number) {
    this.#size = size;
  }

  get(key: string): number | undefined {
    const found = this.entries.find(([name]) => name === key);
    if (found !== undefined) this.entries = [...this.entries.filter((entry) => entry !== found), found];
    return found?.[1];
  }

  set(key: string, value: number): void {
    this.delete(key);
    this.entries.push([key, value]);
    if (this.entries.length > this.#size) this.forgotten.push(...this.entries.splice(0, 1).map(([, oldest]) => oldest));
  }

  delete(key: string): void {
    this.entries = this.entries.filter(([name]) => name !== key);
  }

  clear(): void {
    this.entries = [];
  }
}

describe('a bounded map', () => {
  it('forgets what was used longest ago, whatever is asked of it in whatever order', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(anyStep, { maxLength: 60 }), (size, steps) => {
        const forgotten: number[] = [];
        const map = new BoundedMap<number>(size, (value) => forgotten.push(value));
        const model = new Model(size);
        for (const [index, [step, key]] of steps.entries()) {
          expect(map[step](key, index)).toBe(model[step](key, index));
          expect([...map.values()]).toEqual(model.entries.map(([, value]) => value));
        }
        expect(forgotten).toEqual(model.forgotten);
      }),
    );
  });
});
