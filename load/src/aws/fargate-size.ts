/** What one task has instead of what its definition says. */
export interface TaskSize {
  /** Processor units: 1,024 are one core. */
  readonly cpu: number;
  readonly memoryMb: number;
}

const GB = 1_024;

function evenly(fromGb: number, toGb: number, stepGb: number): readonly number[] {
  return Array.from({ length: (toGb - fromGb) / stepGb + 1 }, (_, at) => (fromGb + at * stepGb) * GB);
}

/** The memory in MB that Fargate has for so many processor units. It starts no task of another pair. */
const SIZES: ReadonlyMap<number, readonly number[]> = new Map([
  [256, [512, GB, 2 * GB]],
  [512, evenly(1, 4, 1)],
  [1_024, evenly(2, 8, 1)],
  [2_048, evenly(4, 16, 1)],
  [4_096, evenly(8, 30, 1)],
  [8_192, evenly(16, 60, 4)],
  [16_384, evenly(32, 120, 8)],
]);

/** All that `cpu` may be. */
export const FARGATE_CPUS: readonly number[] = [...SIZES.keys()];

/** What a task has that is told nothing of memory, where Fargate has that for its processors; else the least there is. */
const USUAL_MB = 2 * GB;

/** All memory that a task of so many processor units may have, ascending; none where Fargate has no such processors. */
export function memoriesFor(cpu: number): readonly number[] {
  return SIZES.get(cpu) ?? [];
}

/** The memory of a task of which only the processors are named. */
export function usualMemoryFor(cpu: number): number {
  return Math.max(USUAL_MB, memoriesFor(cpu)[0] ?? USUAL_MB);
}
