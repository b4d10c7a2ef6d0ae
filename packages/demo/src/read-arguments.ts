import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Known extends Options> = ReturnType<typeof parseArgs<{ options: Known; args: string[] }>>['values'];

/** What a command line of this package says, or what is wrong with it in one sentence. */
export function readArguments<Known extends Options>(
  given: readonly string[],
  options: Known,
): { readonly kind: 'read'; readonly values: Values<Known> } | { readonly kind: 'wrong'; readonly message: string } {
  // `pnpm demo -- --json` hands over the two dashes as well.
  const args = given[0] === '--' ? given.slice(1) : [...given];
  try {
    return { kind: 'read', values: parseArgs({ args, options }).values };
  } catch (error) {
    return { kind: 'wrong', message: (error as Error).message.split('. ')[0] ?? '' };
  }
}
