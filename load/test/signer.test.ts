import { RequestSigner } from '@millrace/limiter/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { K6_HASHING } from '../src/k6/hashing.js';
import { headersOf, signedBySdk, signingCase } from './signed-requests.js';

describe("a signature by k6's hashes", () => {
  it("is the SDK's, also where a signer goes on to other keys and days", async () => {
    let compared = 0;
    const cases = fc.array(signingCase, { minLength: 4, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(cases, async ([first, ...others]) => {
        if (first === undefined) return;
        const signer = new RequestSigner(first.scope, K6_HASHING);
        for (const other of [first, ...others, first]) {
          const request = { ...other, scope: first.scope };
          const { credentials, target, body, nowMs } = request;
          expect(headersOf(signer.sign(credentials, target, body, nowMs))).toEqual(await signedBySdk(request));
          compared += 1;
        }
      }),
      { numRuns: 300 },
    );
    expect(compared).toBe(1_500);
  });
});
