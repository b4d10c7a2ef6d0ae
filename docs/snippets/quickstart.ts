import { Limit, RateLimitExceeded, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { launchEngine } from '@millrace/testing';

// An engine for development: one small process that speaks DynamoDB, gone with this program.
const { endpoint, region, credentials } = await launchEngine();
await createTable({ table: 'millrace', endpoint, region, credentials });

const limiter = await RateLimiter.open({ table: 'millrace', endpoint, region, credentials });
await limiter.entities.create('project-1');
await limiter.entities.create('key-1', { parent: 'project-1', cascade: true });

// Limits live in the table. These hold for every key and project on this model; the project has some of its own.
await limiter.limits.setResource('gpt-4', [Limit.perMinute('rpm', 3), Limit.perMinute('tpm', 10_000)]);
await limiter.limits.setEntity('project-1', 'gpt-4', [Limit.perMinute('tpm', 50_000)]);

const setup = limiter.stats(); // what was spent so far: on entities and limits
for (const prompt of ['one', 'two', 'three', 'four']) {
  try {
    // Takes one request and 800 tokens before the call, and sets right afterwards what was really used.
    const answer = await limiter.withLease('key-1', 'gpt-4', { rpm: 1, tpm: 800 }, async (lease) => {
      const { text, totalTokens } = await callModel(prompt);
      await lease.adjust({ tpm: totalTokens - 800 });
      return text;
    });
    console.log(answer);
  } catch (error) {
    if (!(error instanceof RateLimitExceeded)) throw error;
    console.log(`${prompt}: not now, ${error.violations.map(({ limit, entity }) => `${limit} of ${entity}`).join(' and ')} is used up`);
    console.log(error.headers());
  }
}

// Three acquires and three adjusts, each of a key and its project: a write unit a level. The refusal cost nothing.
const { acquires, localRejections, writeUnits } = limiter.stats();
console.log({ acquires, localRejections, writeUnits: writeUnits - setup.writeUnits, writeUnitsOfSetup: setup.writeUnits });
await limiter.close();

async function callModel(prompt: string): Promise<{ text: string; totalTokens: number }> {
  return { text: `${prompt}: answered`, totalTokens: 300 + prompt.length };
}
