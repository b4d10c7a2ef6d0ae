import { type SimulationResult, simulate } from '@millrace/testing/simulator';
import { beforeAll, describe, expect, it } from 'vitest';

const ACQUIRES = 1_500;

/** Runs a few worlds. That something was drawn does not mean that it came to pass. */
async function runWorlds(seeds: readonly number[]): Promise<readonly SimulationResult[]> {
  const worlds: SimulationResult[] = [];
  for (const seed of seeds) worlds.push(await simulate(seed, ACQUIRES));
  return worlds;
}

describe('simulated worlds in which buckets are spread', () => {
  let worlds: readonly SimulationResult[];
  const sum = (field: 'splits' | 'merges') => worlds.reduce((total, world) => total + world[field], 0);

  beforeAll(async () => {
    worlds = await runWorlds([30, 32, 53, 55, 68, 70, 74, 77, 79, 84]);
  }, 60_000);

  it('break no invariant', () => {
    expect(worlds.flatMap(({ seed, broken }) => broken.map((line) => [seed, line]))).toEqual([]);
  });

  it('split buckets and merge them, with lost requests, crashes and cascades among them', () => {
    expect(worlds.every(({ splits }) => splits > 0)).toBe(true);
    expect(sum('splits')).toBeGreaterThan(50);
    expect(sum('merges')).toBeGreaterThan(25);
    expect(worlds.some(({ drawn }) => (drawn['faults'] as { crashes: number }).crashes > 0)).toBe(true);
    expect(worlds.some(({ drawn }) => (drawn['entities'] as string[]).some((entity) => entity.includes('<')))).toBe(true);
  });
});
