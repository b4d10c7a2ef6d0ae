import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Known extends Options> = ReturnType<typeof parseArgs<{ options: Known; args: string[] }>>['values'];

/** What the command line says, or what is wrong with it in one sentence: a trace says nothing to whoever mistyped. */
export function readArguments<Known extends Options>(
  options: Known,
): { readonly wrong: string; readonly values?: undefined } | { readonly wrong?: undefined; readonly values: Values<Known> } {
  const given = process.argv.slice(2);
  // `pnpm sim -- --seeds 5` hands over the two dashes as well.
  const args = given[0] === '--' ? given.slice(1) : given;
  try {
    return { values: parseArgs({ options, args }).values };
  } catch (error) {
    return { wrong: (error as Error).message.split('. ')[0] ?? '' };
  }
}
