import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { CliFailure } from './failure.js';

/** What every command may be told. */
export interface Globals {
  readonly table: string | undefined;
  readonly namespace: string;
  /** Whether somebody named it; else it is the default. */
  readonly isNamespaceGiven: boolean;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly actor: string;
  readonly json: boolean;
  readonly yes: boolean;
  readonly color: boolean;
}

/** Adds the options to the program; they may stand before or after the name of a command. */
export function addGlobals(program: Command): Command {
  return program
    .option('--table <name>', 'the table (env: MILLRACE_TABLE)')
    .option('-n, --namespace <name>', 'the namespace (env: MILLRACE_NAMESPACE; "default" unless given)')
    .option('--endpoint <url>', 'where DynamoDB answers (env: AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL)')
    .option('--region <name>', 'the region (env: AWS_REGION, or the profile in use)')
    .option('--actor <name>', 'who does it, for the audit log (env: MILLRACE_ACTOR; "cli:" and your user name unless given)')
    .option('--json', 'print one JSON document on stdout, and errors as one on stderr')
    .option('--yes', 'destroy without asking')
    .option('--no-color', 'no colours (env: NO_COLOR)');
}

/** Reads the options, then the environment. An empty variable counts as none: that is how scripts take one away. */
export function globalsOf(options: Readonly<Record<string, unknown>>, env: NodeJS.ProcessEnv): Globals {
  const given = (name: string): string | undefined => options[name] as string | undefined;
  const { MILLRACE_TABLE, MILLRACE_NAMESPACE, MILLRACE_ACTOR } = env;
  const namespace = given('namespace') ?? (MILLRACE_NAMESPACE || undefined);
  return {
    table: given('table') ?? (MILLRACE_TABLE || undefined),
    namespace: namespace ?? 'default',
    isNamespaceGiven: namespace !== undefined,
    endpoint: given('endpoint'),
    region: given('region'),
    actor: given('actor') ?? (MILLRACE_ACTOR || `cli:${userName(env)}`),
    json: options['json'] === true,
    yes: options['yes'] === true,
    color: options['color'] !== false,
  };
}

/** The name of the table, without which hardly anything can be done. */
export function tableOf({ table }: Globals): string {
  if (table === undefined) throw new CliFailure('USAGE', 'no table is named', 'give --table <name>, or set MILLRACE_TABLE');
  return table;
}

/** How to reach DynamoDB; what is absent comes from AWS's usual chain. */
export function connectionOf({ endpoint, region }: Globals): { readonly endpoint?: string; readonly region?: string } {
  return { ...(endpoint === undefined ? {} : { endpoint }), ...(region === undefined ? {} : { region }) };
}

function userName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return env['USER'] || 'unknown';
  }
}
