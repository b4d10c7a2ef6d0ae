import type { EngineSources } from './engine-sources.js';
import type { EngineName } from './local-engine.js';

/** An engine and the file that is its program: a binary, or for DynamoDB Local the jar. */
export interface FoundEngine {
  readonly name: EngineName;
  readonly path: string;
}

/** What a search gives: the engine, or why there is none and what to do. */
export type EngineSearch = { readonly found: FoundEngine; readonly reason?: never } | { readonly found?: never; readonly reason: string };

/** The release this package is tested with; the same that its package.json installs where it can. */
export const dynoxideVersion = '1.2.1';

/** Looks for the one engine of that name. */
export function findEngine(name: EngineName, sources: EngineSources): Promise<EngineSearch> {
  switch (name) {
    case 'dynoxide':
      return findDynoxide(sources);
    case 'extenddb':
      return findExtendDb(sources);
    case 'dynamodb-local':
      return findDynamoDbLocal(sources);
  }
}

/** Looks for dynoxide, then for ExtendDB. DynamoDB Local is never taken unasked: its licence is not for everybody. */
export async function findAnyEngine(sources: EngineSources): Promise<EngineSearch> {
  const dynoxide = await findDynoxide(sources);
  const { DYNOXIDE_BINARY: binary } = sources.env;
  // Who names a binary wants that one, so a wrong name is told and not passed over.
  if (dynoxide.found !== undefined || isSet(binary)) return dynoxide;
  const extendDb = await findExtendDb(sources);
  if (extendDb.found !== undefined) return extendDb;
  return {
    reason: [
      `no DynamoDB engine for ${sources.platform}. Looked for, in this order:`,
      '  DYNAMODB_ENDPOINT: not set',
      ...[dynoxide.reason, extendDb.reason].flatMap((reason) => reason.split('\n')).map((line) => `  ${line}`),
      'Do one of these: set DYNAMODB_ENDPOINT to the address of an engine that runs; set DYNOXIDE_BINARY to a dynoxide' +
        ' binary (cargo install dynoxide-rs builds one); install again with optional dependencies and the network.',
    ].join('\n'),
  };
}

async function findDynoxide(sources: EngineSources): Promise<EngineSearch> {
  const { DYNOXIDE_BINARY: binary } = sources.env;
  if (isSet(binary)) {
    const path = await sources.existingFile(binary);
    if (path !== undefined) return { found: { name: 'dynoxide', path } };
    return { reason: `DYNOXIDE_BINARY: ${binary} is no file; set it to a dynoxide binary, or unset it` };
  }
  const packageName = `@dynoxide/${sources.platform}`;
  const installed = await sources.installedFile(packageName, 'dynoxide');
  if (installed !== undefined) return { found: { name: 'dynoxide', path: installed } };
  const fetched = await sources.fetchedFile(packageName, dynoxideVersion, 'dynoxide');
  if (fetched.path !== undefined) return { found: { name: 'dynoxide', path: fetched.path } };
  const lines = [
    'DYNOXIDE_BINARY: not set',
    `${packageName}: not installed`,
    `${packageName}@${dynoxideVersion} by npm: ${fetched.reason}`,
  ];
  return { reason: lines.join('\n') };
}

async function findExtendDb(sources: EngineSources): Promise<EngineSearch> {
  const packageName = `@extenddb/${sources.platform}`;
  const path = await sources.installedFile(packageName, 'extenddb');
  return path === undefined ? { reason: `${packageName}: not installed` } : { found: { name: 'extenddb', path } };
}

async function findDynamoDbLocal(sources: EngineSources): Promise<EngineSearch> {
  const { DYNAMODB_LOCAL_JAR: jar } = sources.env;
  if (!isSet(jar)) {
    return { reason: 'DYNAMODB_LOCAL_JAR: not set; its licence asks for an AWS account, so it is never looked for' };
  }
  const path = await sources.existingFile(jar);
  if (path === undefined) return { reason: `DYNAMODB_LOCAL_JAR: ${jar} is no file; set it to DynamoDBLocal.jar` };
  if (!(await sources.javaRuns())) {
    return { reason: 'DYNAMODB_LOCAL_JAR: set, but `java -version` fails; put Java 17 or newer on the PATH' };
  }
  return { found: { name: 'dynamodb-local', path } };
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
