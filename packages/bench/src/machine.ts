import { cpus } from 'node:os';
import type { Machine } from './acquire/report.js';

/** Describes this machine without naming it. */
export function describeMachine(): Machine {
  const all = cpus();
  return { cores: all.length, cpu: all[0]?.model ?? 'unknown', node: process.version, platform: `${process.platform} ${process.arch}` };
}
