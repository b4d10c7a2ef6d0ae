import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readVectors } from '../../packages/core/test/vectors/read-vectors.js';
import { inK6, realK6 } from './real-k6.js';
import { signedBySdk, signingCase } from './signed-requests.js';

const k6 = await realK6();
const SIGNATURES = 200;

describe.skipIf(k6 === undefined)('in a real k6', () => {
  if (k6 === undefined) return;

  it('core gives the answers of every golden vector', async () => {
    const vectors = [...readVectors()];
    const { end, answer } = await inK6<Record<string, unknown[]>>(k6, {
      name: 'test-vectors',
      imports: `import * as core from '@millrace/core';
                import { answersTo } from '../packages/core/test/vectors/answers.ts';`,
      given: vectors,
      body: 'return Object.fromEntries(given.map(([kind, vectors]) => [kind, answersTo(core, kind, vectors)]));',
    });

    expect(end).toEqual({ code: 0, complaint: undefined });
    expect(vectors.length).toBeGreaterThan(2);
    for (const [kind, given] of vectors) {
      expect(given.length).toBeGreaterThan(0);
      expect(answer[kind]).toEqual(given.map(({ then }) => then));
    }
  });

  it(`a signature is the SDK's, over ${SIGNATURES} generated requests`, async () => {
    const cases = fc.sample(signingCase, { numRuns: SIGNATURES, seed: 7 });
    const { end, answer } = await inK6<string[][]>(k6, {
      name: 'test-signatures',
      imports: `import { RequestSigner } from '@millrace/limiter/wire';
                import { K6_HASHING } from './src/k6/hashing.ts';`,
      given: cases,
      body: `return given.map(({ scope, credentials, target, body, nowMs }) =>
               new RequestSigner(scope, K6_HASHING).sign(credentials, target, body, nowMs));`,
    });

    expect(end.code).toBe(0);
    const signed = answer.map((list) =>
      Object.fromEntries(list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]]] : []))),
    );
    expect(signed).toEqual(await Promise.all(cases.map(signedBySdk)));
  });

  it('what fails says so by exit code and complaint, and not by silence', async () => {
    const { end } = await inK6(k6, { name: 'test-throws', imports: '', body: "throw new Error('no such thing');" });

    expect(end.code).toBeGreaterThan(0);
    expect(end.complaint).toContain('no such thing');
  });
});
