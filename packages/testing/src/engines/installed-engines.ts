import { type EngineSources, machineSources } from './engine-sources.js';
import { findEngine } from './find-engine.js';
import type { EngineName } from './local-engine.js';

/** An engine that `launchEngine` can start by name here, or why it cannot: a line to print beside the skipped suite. */
export type InstalledEngine =
  | { readonly name: EngineName; readonly available: true }
  | { readonly name: EngineName; readonly available: false; readonly reason: string };

const engineNames: readonly EngineName[] = ['dynoxide', 'extenddb', 'dynamodb-local'];

/** Every engine we know, in the order of our trust, each looked for just as `launchEngine` would. */
export function installedEngines(env: NodeJS.ProcessEnv = process.env): Promise<readonly InstalledEngine[]> {
  return enginesFrom(machineSources(env));
}

/** The same, asked of any machine. */
export function enginesFrom(sources: EngineSources): Promise<readonly InstalledEngine[]> {
  return Promise.all(
    engineNames.map(async (name): Promise<InstalledEngine> => {
      const { reason } = await findEngine(name, sources);
      return reason === undefined ? { name, available: true } : { name, available: false, reason: reason.replaceAll('\n', '; ') };
    }),
  );
}
