import type { Contestant } from '../contestants/contestant.js';
import { LatencySample } from '../figures/latency-sample.js';
import type { Measurement } from './protocol.js';

/** Answers from memory never let the process hear its sockets and timers: after so many calls it listens to them. */
const CALLS_BETWEEN_TURNS = 128;

/** What a load runs on: the machine's, or a test's. */
export interface LoadRuntime {
  nowMs(): number;
  cpuUs(): number;
  /** Ends when everything that was due has run. */
  turn(): Promise<void>;
}

const MACHINE: LoadRuntime = {
  nowMs: () => performance.now(),
  cpuUs() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};

/**
 * Callers that each ask again as soon as they are answered, for a time. A caller has keys of its own where there are as
 * many keys as callers, and all share one where there is one.
 */
export async function runLoad(
  contestant: Contestant,
  load: { readonly callers: number; readonly keys: number; readonly durationMs: number },
  runtime: LoadRuntime = MACHINE,
): Promise<Measurement> {
  const { callers, keys, durationMs } = load;
  const sample = new LatencySample();
  const keysEach = Math.max(1, Math.floor(keys / callers));
  let [calls, admitted, lastAdmitted, inversions] = [0, 0, -1, 0];
  const before = contestant.counts();
  const cpuBeforeUs = runtime.cpuUs();
  const startedAtMs = runtime.nowMs();

  const caller = async (index: number): Promise<void> => {
    const firstKey = (index * keysEach) % keys;
    let calledAtMs = runtime.nowMs();
    for (let turn = 0; calledAtMs - startedAtMs < durationMs; turn += 1) {
      const place = calls;
      calls += 1;
      if (await contestant.take(firstKey + (turn % keysEach))) {
        admitted += 1;
        if (place < lastAdmitted) inversions += 1;
        lastAdmitted = place;
      }
      const answeredAtMs = runtime.nowMs();
      sample.add(answeredAtMs - calledAtMs);
      calledAtMs = answeredAtMs;
      if (turn % CALLS_BETWEEN_TURNS === CALLS_BETWEEN_TURNS - 1) await runtime.turn();
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, index) => caller(index)));

  const elapsedMs = runtime.nowMs() - startedAtMs;
  const cpuUs = runtime.cpuUs() - cpuBeforeUs;
  const after = contestant.counts();
  return {
    calls,
    admitted,
    elapsedMs,
    cpuUs,
    ...sample.percentiles(),
    requests: after.requests - before.requests,
    readUnits: after.readUnits - before.readUnits,
    writeUnits: after.writeUnits - before.writeUnits,
    inversions,
  };
}
