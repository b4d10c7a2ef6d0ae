import { checkName, ValidationError } from '@millrace/core';
import type { Home } from './ports.js';

const PREFIX = 'MILLRACE_';
const NAMES = ['TABLE', 'NAMESPACE', 'MANIFEST'] as const;

/**
 * Reads the environment.
 *
 * @throws ValidationError that names the variable, also for one that nobody reads: a misspelt one would be ignored in silence
 */
export function environmentOf(variables: Readonly<Record<string, string | undefined>>): Home {
  const known: readonly string[] = NAMES.map((name) => PREFIX + name);
  for (const name of Object.keys(variables)) {
    if (name.startsWith(PREFIX) && !known.includes(name)) throw new ValidationError('variable', `one of ${known.join(', ')}`, name);
  }
  const table = variables['MILLRACE_TABLE'];
  if (!table) throw new ValidationError('variable MILLRACE_TABLE', 'the name of the table', table);
  return {
    table,
    namespace: checkName('namespace', variables['MILLRACE_NAMESPACE'] || 'default'),
    manifest: checkName('manifest', variables['MILLRACE_MANIFEST'] || 'default'),
  };
}
