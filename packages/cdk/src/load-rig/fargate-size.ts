import { Token } from 'aws-cdk-lib';
import type { PropChecks } from '../prop-checks.js';

/** What one task has. */
export interface FargateSize {
  readonly cpu: number;
  readonly memoryMb: number;
}

const GB = 1_024;
const DEFAULT_CPU = 1_024;
const DEFAULT_MEMORY_MB = 2 * GB;

/** Memory from a least to a most, in steps. */
interface Steps {
  readonly least: number;
  readonly most: number;
  readonly step: number;
}

/** The memory in MB that Fargate has for so many processor units: it starts no task of another pair. */
const SIZES: ReadonlyMap<number, Steps> = new Map([
  [256, { least: 512, most: 2 * GB, step: 512 }],
  [512, { least: GB, most: 4 * GB, step: GB }],
  [1_024, { least: 2 * GB, most: 8 * GB, step: GB }],
  [2_048, { least: 4 * GB, most: 16 * GB, step: GB }],
  [4_096, { least: 8 * GB, most: 30 * GB, step: GB }],
  [8_192, { least: 16 * GB, most: 60 * GB, step: 4 * GB }],
  [16_384, { least: 32 * GB, most: 120 * GB, step: 8 * GB }],
]);
/** The one step within its bounds that is not there: for a quarter of a core there are 512 MB, 1 GB and 2 GB. */
const MISSING: FargateSize = { cpu: 256, memoryMb: 1_536 };

/** The size that the props of a rig say: memory that is not given is 2 GB, or the least that the processors have above that. */
export function fargateSize(cpu: number = DEFAULT_CPU, memoryMb: number | undefined, checks: PropChecks): FargateSize {
  const steps = SIZES.get(cpu);
  if (steps === undefined) {
    checks.refuse(`fargateCpu must be one of ${[...SIZES.keys()].join(', ')}, got: ${cpu}`);
    return { cpu: DEFAULT_CPU, memoryMb: DEFAULT_MEMORY_MB };
  }
  const sizes = memoriesOf(cpu, steps);
  const usual = Math.max(steps.least, DEFAULT_MEMORY_MB);
  if (memoryMb === undefined || Token.isUnresolved(memoryMb) || sizes.includes(memoryMb)) return { cpu, memoryMb: memoryMb ?? usual };
  checks.refuse(`fargateMemoryMb for ${cpu} processor units must be ${inWords(sizes, steps)}, got: ${memoryMb}`);
  return { cpu, memoryMb: usual };
}

function memoriesOf(cpu: number, { least, most, step }: Steps): number[] {
  const all = Array.from({ length: (most - least) / step + 1 }, (_, index) => least + index * step);
  return all.filter((memoryMb) => cpu !== MISSING.cpu || memoryMb !== MISSING.memoryMb);
}

function inWords(sizes: readonly number[], { least, most, step }: Steps): string {
  return sizes.length <= 4 ? `one of ${sizes.join(', ')}` : `from ${least} to ${most} in steps of ${step}`;
}
