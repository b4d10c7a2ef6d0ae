import fc from 'fast-check';
import { checkName } from '../src/index.js';

function isAccepted(name: string): boolean {
  try {
    return checkName('entity', name) === name;
  } catch {
    return false;
  }
}

/** Names of all that can be printed, and names of little but what keys are made of. */
export const anyName: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
    fc.string({ unit: fc.constantFrom('/', '%', '#', '2', '5', 'F', 'f', 'a', 'b', '0', '_', '😀', ' '), minLength: 1, maxLength: 6 }),
  )
  .filter(isAccepted);

/** The longest names: 256 bytes of what escaping makes longest, and of what UTF-8 does. */
export const LONGEST_NAMES = ['/'.repeat(256), '%'.repeat(256), '😀'.repeat(64), '€'.repeat(85)] as const;
