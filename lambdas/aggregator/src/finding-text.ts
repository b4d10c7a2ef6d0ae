import type { FoundInLedger } from './ports.js';

/** What is wrong, in a sentence, and what to do. Names are quoted as a shell takes them, so that the command can be pasted. */
export function findingText({ namespace, finding }: FoundInLedger): string {
  const { kind, entity, resource, limit, type, window, net } = finding;
  const at = `the ${type} of ${window.toISOString()}`;
  const names = `-n ${quoted(namespace)} --entity ${quoted(entity)} --resource ${quoted(resource)}`;
  const repair = `"millrace usage repair ${names}" books it`;
  if (kind === 'overlap') return `${-net} of "${limit}" are counted twice, up to ${at}: ${repair}`;
  if (kind === 'sum') return `the hours of "${limit}" do not add up to ${at}, which has ${net} more: see "millrace usage verify ${names}"`;
  return `${net} of "${limit}" are missing in ${at}: put back what is in the failure destination, then ${repair}`;
}

function quoted(name: string): string {
  return /^[\w./:@-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}
