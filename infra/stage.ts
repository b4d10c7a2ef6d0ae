import { existsSync } from 'node:fs';
import type { Node } from 'constructs';

/** What one stage of the app has of its own. */
export interface Stage {
  /** Names the stacks. */
  readonly name: string;
  /** Whether the table and the archive outlive the stack, and the table cannot be deleted. */
  readonly keepsData: boolean;
  /** Memory of the aggregator, in MB; undefined: as the construct has it. */
  readonly aggregatorMemoryMb: number | undefined;
  /** The manifest of the limits in the namespace `default`; its path begins where the app runs, in the repository's root. */
  readonly limitsFile: string;
  /** Where operators read the runbook; undefined: alarms and dashboard name it in words. */
  readonly runbookUrl: string | undefined;
  /** The ids of namespaces that get roles of their own. */
  readonly namespaceIds: readonly string[];
  /** What `pnpm load assets` wrote; undefined: there is no stack with a load rig. */
  readonly loadAssets: string | undefined;
  /** The processor that the assets were built for. */
  readonly loadArchitecture: 'arm64' | 'x64';
  /** The image of load workers in a registry; undefined: docker builds one of the assets. */
  readonly loadImage: string | undefined;
}

/** The tag by which a caller says whose namespace it works for. */
export const NAMESPACE_TAG = 'millrace-namespace';

const SETTINGS = [
  'keepsData',
  'aggregatorMemoryMb',
  'limitsFile',
  'runbookUrl',
  'namespaceIds',
  'loadAssets',
  'loadArchitecture',
  'loadImage',
] as const;

/** A key that may be ours: those of the CDK and of its look-ups have a colon, a hyphen or a slash in them. */
const PLAIN_WORD = /^[A-Za-z]\w*$/;

const NAMESPACE_ID = /^[0-9a-f]{12}$/;

/** What is wrong with the context: for whoever typed it, to whom a stack trace says nothing. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
}

/**
 * The stage that `-c stage=…` names (by default `dev`), as `cdk.json` has it under "stages". One setting of it can be said
 * on the command line, too: `-c aggregatorMemoryMb=512`, `-c namespaceIds=4f1c…,9b2e…`.
 *
 * @throws ContextError for a stage that is not in `cdk.json`, a setting that nobody reads, a file that is not there, or a
 * value of the wrong kind
 */
export function stageOf(node: Node): Stage {
  const name: unknown = node.tryGetContext('stage') ?? 'dev';
  const stages: Readonly<Record<string, Readonly<Record<string, unknown>>>> = node.tryGetContext('stages') ?? {};
  const settings = typeof name === 'string' && /^[A-Za-z][A-Za-z0-9-]*$/.test(name) ? stages[name] : undefined;
  if (settings === undefined)
    throw new ContextError(`context "stage" must be one of ${Object.keys(stages).join(', ')}, got: ${String(name)}`);
  refuseUnknown(Object.keys(node.getAllContext()));
  const strange = Object.keys(settings).find((key) => !SETTINGS.some((known) => known === key));
  if (strange !== undefined) throw new ContextError(`a stage has ${SETTINGS.join(', ')}, got: ${strange}`);
  const settingOf = (setting: (typeof SETTINGS)[number]): unknown => node.tryGetContext(setting) ?? settings[setting];
  return {
    name: name as string,
    keepsData: truth('keepsData', settingOf('keepsData') ?? true),
    aggregatorMemoryMb: megabytes(settingOf('aggregatorMemoryMb')),
    limitsFile: there('limitsFile', String(settingOf('limitsFile') ?? 'infra/limits.yaml'), 'a manifest of limits'),
    runbookUrl: text(settingOf('runbookUrl')),
    namespaceIds: list(settingOf('namespaceIds')),
    loadAssets: there('loadAssets', text(settingOf('loadAssets')), 'the folder that `pnpm load assets --out` wrote'),
    loadArchitecture: processor(settingOf('loadArchitecture') ?? 'arm64'),
    loadImage: text(settingOf('loadImage')),
  };
}

/** A word that nothing reads is a misspelt setting: it would be passed over in silence, and the default deployed. */
function refuseUnknown(keys: readonly string[]): void {
  const known: readonly string[] = ['stage', 'stages', ...SETTINGS];
  const unknown = keys.filter((key) => PLAIN_WORD.test(key) && !known.includes(key));
  if (unknown.length === 0) return;
  throw new ContextError(`context must be one of ${known.join(', ')}, got: ${unknown.join(', ')}`);
}

function there<Path extends string | undefined>(setting: string, path: Path, what: string): Path {
  if (path === undefined || existsSync(path)) return path;
  throw new ContextError(`context "${setting}" must be ${what}, got a path where there is nothing: ${path}`);
}

function truth(setting: string, value: unknown): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new ContextError(`context "${setting}" must be true or false, got: ${String(value)}`);
}

function megabytes(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isInteger(number)) return number;
  throw new ContextError(`context "aggregatorMemoryMb" must be a whole number, got: ${String(value)}`);
}

function text(value: unknown): string | undefined {
  return value === undefined || value === '' ? undefined : String(value);
}

function processor(value: unknown): 'arm64' | 'x64' {
  if (value === 'arm64' || value === 'x64') return value;
  throw new ContextError(`context "loadArchitecture" must be arm64 or x64, got: ${String(value)}`);
}

function list(value: unknown): readonly string[] {
  if (value === undefined || value === '') return [];
  const ids: readonly unknown[] = Array.isArray(value) ? value : String(value).split(',');
  const strange = ids.find((id) => !NAMESPACE_ID.test(String(id)));
  if (strange === undefined) return ids.map(String);
  const expected = 'ids of namespaces, 12 hexadecimal digits each, as "millrace namespace list" shows them';
  throw new ContextError(`context "namespaceIds" must be ${expected}, got: ${String(strange)}`);
}
