import { cpus } from 'node:os';

/** What a reader of figures must know of the machine; nothing that names it. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly node: string;
  readonly platform: string;
}

export function describeMachine(): Machine {
  const all = cpus();
  return { cores: all.length, cpu: all[0]?.model ?? 'unknown', node: process.version, platform: `${process.platform} ${process.arch}` };
}
