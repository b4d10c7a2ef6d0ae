import { describe, expect, it } from 'vitest';
import * as core from '../src/index.js';
import { answersTo } from './vectors/answers.js';
import { readVectors } from './vectors/read-vectors.js';

/**
 * The files say, to the letter, what every release in every runtime must go on asking, reading and deciding. They are
 * changed by hand and on purpose: whoever changes one changes what running services do to a table that exists.
 */
describe.each([...readVectors()])('the golden vectors of %s', (kind, vectors) => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))('hold for %s', (_, vector) => {
    const [answer] = answersTo(core, kind, [vector]);

    expect(JSON.parse(JSON.stringify(answer))).toEqual(vector.then);
  });

  it('have names of their own', () => {
    const names = vectors.map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
  });
});
