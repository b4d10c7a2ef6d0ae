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

const SETTINGS = ['keepsData', 'aggregatorMemoryMb', 'limitsFile', 'namespaceIds', 'loadAssets', 'loadArchitecture', 'loadImage'] as const;

/**
 * The stage that `-c stage=…` names (by default `dev`), as `cdk.json` has it under "stages". One setting of it can be said
 * on the command line, too: `-c aggregatorMemoryMb=512`, `-c namespaceIds=4f1c…,9b2e…`.
 *
 * @throws Error for a stage that is not in `cdk.json`, a setting that nobody reads, or one of the wrong kind
 */
export function stageOf(node: Node): Stage {
  const name: unknown = node.tryGetContext('stage') ?? 'dev';
  const stages: Readonly<Record<string, Readonly<Record<string, unknown>>>> = node.tryGetContext('stages') ?? {};
  const settings = typeof name === 'string' && /^[A-Za-z][A-Za-z0-9-]*$/.test(name) ? stages[name] : undefined;
  if (settings === undefined) throw new Error(`context "stage" must be one of ${Object.keys(stages).join(', ')}, got: ${String(name)}`);
  const strange = Object.keys(settings).find((key) => !SETTINGS.some((known) => known === key));
  if (strange !== undefined) throw new Error(`a stage has ${SETTINGS.join(', ')}, got: ${strange}`);
  const settingOf = (setting: (typeof SETTINGS)[number]): unknown => node.tryGetContext(setting) ?? settings[setting];
  return {
    name: name as string,
    keepsData: truth('keepsData', settingOf('keepsData') ?? true),
    aggregatorMemoryMb: megabytes(settingOf('aggregatorMemoryMb')),
    limitsFile: String(settingOf('limitsFile') ?? 'infra/limits.yaml'),
    namespaceIds: list(settingOf('namespaceIds')),
    loadAssets: text(settingOf('loadAssets')),
    loadArchitecture: processor(settingOf('loadArchitecture') ?? 'arm64'),
    loadImage: text(settingOf('loadImage')),
  };
}

function truth(setting: string, value: unknown): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new Error(`context "${setting}" must be true or false, got: ${String(value)}`);
}

function megabytes(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isInteger(number)) return number;
  throw new Error(`context "aggregatorMemoryMb" must be a whole number, got: ${String(value)}`);
}

function text(value: unknown): string | undefined {
  return value === undefined || value === '' ? undefined : String(value);
}

function processor(value: unknown): 'arm64' | 'x64' {
  if (value === 'arm64' || value === 'x64') return value;
  throw new Error(`context "loadArchitecture" must be arm64 or x64, got: ${String(value)}`);
}

function list(value: unknown): readonly string[] {
  if (value === undefined || value === '') return [];
  return typeof value === 'string' ? value.split(',') : (value as readonly string[]);
}
