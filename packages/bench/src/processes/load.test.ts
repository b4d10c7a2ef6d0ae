import { describe, expect, it } from 'vitest';
import type { Contestant } from '../contestants/contestant.js';
import { type LoadRuntime, runLoad } from './load.js';

/** A clock that each answer moves on by a millisecond, and each look at the CPU by a hundred microseconds. */
function virtual(): { runtime: LoadRuntime; tick(): void } {
  let [nowMs, cpuUs] = [0, 0];
  const runtime: LoadRuntime = {
    nowMs: () => nowMs,
    cpuUs() {
      cpuUs += 100;
      return cpuUs;
    },
    turn: async () => undefined,
  };
  return {
    runtime,
    tick: () => {
      nowMs += 1;
    },
  };
}

function contestant(tick: () => void, takes: (key: number) => boolean): Contestant & { readonly keys: number[] } {
  const keys: number[] = [];
  return {
    keys,
    async take(key) {
      keys.push(key);
      tick();
      return takes(key);
    },
    counts: () => ({ requests: keys.length * 2, readUnits: 0, writeUnits: keys.length }),
    close: async () => undefined,
  };
}

describe('a load', () => {
  it('asks until its time is over, and counts what was sent meanwhile', async () => {
    const { runtime, tick } = virtual();
    const measured = await runLoad(
      contestant(tick, (key) => key % 2 === 0),
      { callers: 1, keys: 10, durationMs: 100 },
      runtime,
    );

    expect(measured).toMatchObject({ calls: 100, admitted: 50, elapsedMs: 100, cpuUs: 100, requests: 200, writeUnits: 100, inversions: 0 });
    expect(measured).toMatchObject({ p50Ms: 1, p99Ms: 1 });
  });

  it('gives each caller keys of its own where there are enough', async () => {
    const { runtime, tick } = virtual();
    const asked = contestant(tick, () => true);
    const keysOf: Set<number>[] = [];
    let callers = 0;
    await runLoad(asked, { callers: 4, keys: 8, durationMs: 40 }, runtime);
    for (const key of asked.keys) {
      callers = Math.floor(key / 2);
      keysOf[callers] = (keysOf[callers] ?? new Set()).add(key);
    }

    expect(keysOf.map((keys) => [...keys].sort())).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
      [6, 7],
    ]);
  });

  it('has all callers share the one key of a hot case', async () => {
    const { runtime, tick } = virtual();
    const asked = contestant(tick, () => true);
    await runLoad(asked, { callers: 3, keys: 1, durationMs: 30 }, runtime);

    expect(new Set(asked.keys)).toEqual(new Set([0]));
  });

  it('sees an admission that overtakes an earlier call', async () => {
    const { runtime, tick } = virtual();
    const held: (() => void)[] = [];
    let calls = 0;
    const asked = contestant(tick, () => true);
    const overtaking: Contestant = {
      ...asked,
      async take(key) {
        calls += 1;
        // The first call is answered after the second.
        if (calls === 1) await new Promise<void>((resolve) => held.push(resolve));
        else for (const release of held.splice(0)) setImmediate(release);
        return asked.take(key);
      },
    };
    const { inversions } = await runLoad(overtaking, { callers: 2, keys: 1, durationMs: 10 }, runtime);

    expect(inversions).toBe(1);
  });
});
