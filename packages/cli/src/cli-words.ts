/** How the options of the SDK are typed, where the two names differ by more than the dashes. */
const TYPED: Readonly<Record<string, string>> = { start: '--at', limitName: '--of', pageSize: '--limit', settleMs: '--settle' };
const SAME: ReadonlySet<string> = new Set([
  'table',
  'namespace',
  'endpoint',
  'region',
  'actor',
  'from',
  'to',
  'after',
  'since',
  'types',
  'type',
  'source',
  'count',
  'reason',
  'subject',
  'zone',
  'parent',
]);

/** What the SDK says to programmers, as it is done on a command line. */
const PHRASES: readonly (readonly [string | RegExp, string])[] = [
  ['together with it by { children: true }', 'together with --children'],
  ['or handed in with the call', 'or given with --limit'],
  ['unless "allowEmpty" is true', 'unless --empty is given'],
  ['not before "from"', 'not before "--from"'],
  [/ here; deploy the construct, or use createTable of \S+, and check region and endpoint$/, ' here'],
  // An argument that a program forgot is, on a command line, one that nobody typed.
  [/, got undefined$/, ''],
];

/** A message of the SDK in the words of whoever types commands: an option is called as it is typed. */
export function inCliWords(message: string): string {
  let text = message.replace(/option "(\w+)"/g, (said, name: string) => {
    const typed = TYPED[name] ?? (SAME.has(name) ? `--${name}` : undefined);
    return typed === undefined ? said : `option "${typed}"`;
  });
  for (const [said, typed] of PHRASES) text = text.replace(said, typed);
  return text;
}

interface NetworkError {
  readonly code?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
  readonly hostname?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

const CAUSES_LOOKED_AT = 8;

/** Where nobody answered, if that is why something failed: the machine refused the connection, or its name is not known. */
export function unansweredPlace(error: unknown): string | undefined {
  let current = error as NetworkError | undefined;
  for (let depth = 0; depth < CAUSES_LOOKED_AT && typeof current === 'object' && current !== null; depth += 1) {
    const { code, address, port, hostname } = current;
    if (code === 'ECONNREFUSED' && address !== undefined) return `nothing answered at ${address}:${port} (connection refused)`;
    if ((code === 'ENOTFOUND' || code === 'EAI_AGAIN') && hostname !== undefined)
      return `the name ${hostname} of the endpoint is not known`;
    // A name with several addresses fails with an error for each.
    current = (current.errors?.[0] ?? current.cause) as NetworkError | undefined;
  }
  return undefined;
}
