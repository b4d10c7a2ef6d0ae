import { machineSources } from './engine-sources.js';
import { findAnyEngine, findEngine } from './find-engine.js';
import type { EngineName, LocalEngine } from './local-engine.js';
import { namedEndpoint } from './named-endpoint.js';
import { startEngine } from './start-engine.js';

/** Which engine, and where it keeps its tables. */
export interface LaunchOptions {
  /** @default - the one at `DYNAMODB_ENDPOINT`, else dynoxide, else ExtendDB */
  readonly engine?: EngineName;
  /**
   * The database file; an endpoint of somebody else's keeps its tables where it likes.
   *
   * @default - in memory
   */
  readonly dbPath?: string;
  /**
   * The port of the loopback that it answers at; with it an engine is started, whatever `DYNAMODB_ENDPOINT` names.
   *
   * @default - one that the system says is free
   */
  readonly port?: number;
  /** @default - this process's environment */
  readonly env?: NodeJS.ProcessEnv;
}

/** Gives a DynamoDB engine that answers. What is started here ends with `close`, or with this process if that is first. */
export async function launchEngine(options: LaunchOptions = {}): Promise<LocalEngine> {
  const env = options.env ?? process.env;
  if (options.engine === undefined && options.port === undefined) {
    const named = namedEndpoint(env);
    if (named !== undefined) return named;
  }
  const sources = machineSources(env);
  const search = options.engine === undefined ? await findAnyEngine(sources) : await findEngine(options.engine, sources);
  if (search.found === undefined) {
    const who = options.engine === undefined ? 'launchEngine' : `launchEngine: ${options.engine}`;
    throw new Error(`${who}: ${search.reason}`);
  }
  return startEngine(search.found, { dbPath: options.dbPath, port: options.port, env });
}
