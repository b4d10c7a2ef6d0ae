import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

const OWNER = /^millrace on (?<machine>.+), process (?<pid>\d+) \([0-9a-f]{8}\)$/;
const MAX_MACHINE_CHARACTERS = 120;

/** Under what name this process holds the lock of a manifest: it says whom to ask, and lets the next one see if it is dead. */
export function applyOwner(): string {
  return `millrace on ${machine()}, process ${process.pid} (${randomUUID().slice(0, 8)})`;
}

/**
 * True if the holder was a process of this machine that is no more: an apply that was killed is then gone on with at once,
 * without waiting for its lock to expire. False whenever that is not certain.
 */
export function isDeadOwner(owner: string): boolean {
  const held = OWNER.exec(owner)?.groups;
  if (held === undefined || held['machine'] !== machine()) return false;
  try {
    process.kill(Number(held['pid']), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** The machine, and where the system tells it, the world of process numbers: containers may share a name and not their processes. */
function machine(): string {
  let world = '';
  try {
    world = ` ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Only Linux has it.
  }
  return `${hostname().slice(0, MAX_MACHINE_CHARACTERS)}${world}`;
}
