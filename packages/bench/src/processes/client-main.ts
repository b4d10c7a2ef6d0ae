import { createInterface } from 'node:readline';
import { openBareSdk } from '../contestants/bare-sdk.js';
import type { Contestant, ContestantWorld } from '../contestants/contestant.js';
import { openMillrace } from '../contestants/millrace.js';
import { openRateLimiterFlexible } from '../contestants/rate-limiter-flexible.js';
import { runLoad } from './load.js';
import type { Answer, ContestantName, Order } from './protocol.js';

/** How many keys are touched at once before the clock runs. */
const TOUCHES_AT_ONCE = 32;

let prepared: { readonly contestant: Contestant; readonly keys: number } | undefined;

function open(name: ContestantName, world: ContestantWorld): Promise<Contestant> {
  switch (name) {
    case 'bare-sdk':
      return openBareSdk(world);
    case 'rate-limiter-flexible':
      return openRateLimiterFlexible(world);
    case 'millrace':
      return openMillrace(world, 'sdk');
    case 'millrace-lean':
      return openMillrace(world, 'lean');
    case 'zae-limiter':
      throw new Error('zae-limiter runs in Python');
  }
}

/** Every key once, so that items exist, limits are cached, and the drained one is drained. */
async function touchAll(contestant: Contestant, keys: number): Promise<void> {
  for (let first = 0; first < keys; first += TOUCHES_AT_ONCE) {
    const chunk = Array.from({ length: Math.min(TOUCHES_AT_ONCE, keys - first) }, (_, index) => first + index);
    await Promise.all(chunk.map((key) => contestant.take(key)));
  }
}

async function obey(order: Order): Promise<Answer> {
  switch (order.op) {
    case 'prepare': {
      const contestant = await open(order.contestant, order.world);
      prepared = { contestant, keys: order.world.keys };
      await touchAll(contestant, order.world.keys);
      return { kind: 'done' };
    }
    case 'run': {
      if (prepared === undefined) throw new Error('run before prepare');
      const { callers, durationMs } = order;
      return { kind: 'measured', measurement: await runLoad(prepared.contestant, { callers, durationMs, keys: prepared.keys }) };
    }
    case 'dispose':
      await prepared?.contestant.close();
      prepared = undefined;
      return { kind: 'done' };
  }
}

async function answerTo(line: string): Promise<Answer> {
  try {
    return await obey(JSON.parse(line) as Order);
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

// The end of the input is the end of the parent: nothing outlives it.
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answerTo(line))}\n`);
}
process.exit(0);
