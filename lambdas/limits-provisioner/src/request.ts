import { createHash } from 'node:crypto';
import { checkKeys, checkName, ValidationError } from '@millrace/core';
import { parseManifest } from '@millrace/limits';

/** What CloudFormation asks for, as far as it is read. */
export interface StackRequest {
  readonly type: 'Create' | 'Update' | 'Delete';
  /** Where the answer goes: whoever has it may answer, once. */
  readonly responseUrl: string;
  readonly stackId: string;
  readonly requestId: string;
  readonly logicalId: string;
  /** Absent for a resource that is being created. */
  readonly physicalId?: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The properties of the resource: what limits there shall be, and where. */
export interface Properties {
  readonly table: string;
  readonly namespace: string;
  /** The name of the manifest. */
  readonly name: string;
  /** The manifest, as text. */
  readonly text: string;
  /** Whether limits go that earlier applies have made and the manifest no longer says. */
  readonly prune: boolean;
  /** What becomes of the limits when the resource is deleted. */
  readonly onDelete: 'keep' | 'remove';
  /** Whether a namespace is registered that is not there. */
  readonly register: boolean;
}

const TYPES: readonly unknown[] = ['Create', 'Update', 'Delete'];
const PROPERTY_KEYS = ['ServiceToken', 'ServiceTimeout', 'Table', 'Namespace', 'Manifest', 'ContentHash', 'Prune', 'OnDelete', 'Register'];

/** Whether an event is one of CloudFormation's: it alone brings an address to answer to. */
export function isStackEvent(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'ResponseURL' in event;
}

/**
 * Reads the envelope of a request. Without it nobody could be answered, so what is wrong with it is the invocation's failure.
 *
 * @throws ValidationError that names the field
 */
export function checkRequest(event: unknown): StackRequest {
  const fields = event as Readonly<Record<string, unknown>>;
  const text = (name: string): string => {
    const value = fields[name];
    if (typeof value !== 'string' || value === '')
      throw new ValidationError(`event field ${name}`, 'text, as CloudFormation sends it', value);
    return value;
  };
  const type = fields['RequestType'];
  if (!TYPES.includes(type)) throw new ValidationError('event field RequestType', 'Create, Update or Delete', type);
  const responseUrl = text('ResponseURL');
  if (!/^https?:\/\//.test(responseUrl) || !URL.canParse(responseUrl)) {
    throw new ValidationError('event field ResponseURL', 'a URL of http or https', 'another text');
  }
  const { ResourceProperties: properties } = fields;
  return {
    type: type as StackRequest['type'],
    responseUrl,
    stackId: text('StackId'),
    requestId: text('RequestId'),
    logicalId: text('LogicalResourceId'),
    ...(type === 'Create' ? {} : { physicalId: text('PhysicalResourceId') }),
    properties: typeof properties === 'object' && properties !== null ? (properties as Readonly<Record<string, unknown>>) : {},
  };
}

/** Reads the properties. CloudFormation hands over all values as text. @throws ValidationError that names the property */
export function checkProperties(properties: Readonly<Record<string, unknown>>): Properties {
  checkKeys('property', properties, PROPERTY_KEYS);
  const text = textOf(properties, 'Manifest');
  return { ...checkPlace(properties), name: parseManifest(text, { format: 'json' }).name, text };
}

/**
 * Reads of the properties what a deletion needs. The limits in the manifest are not looked at: a text that an older release
 * wrote, or that was refused when it came, must not keep a stack from going.
 */
export function checkDeletion(properties: Readonly<Record<string, unknown>>): Omit<Properties, 'text'> {
  const name = nameIn(textOf(properties, 'Manifest'));
  return { ...checkPlace(properties), name: checkName('manifest', name) };
}

function checkPlace(properties: Readonly<Record<string, unknown>>): Omit<Properties, 'text' | 'name'> {
  return {
    table: textOf(properties, 'Table'),
    namespace: checkName('namespace', properties['Namespace'] ?? 'default'),
    prune: choice(properties, 'Prune', 'false', ['true', 'false']) === 'true',
    onDelete: choice(properties, 'OnDelete', 'keep', ['keep', 'remove']),
    register: choice(properties, 'Register', 'false', ['true', 'false']) === 'true',
  };
}

function nameIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly name?: unknown } | null)?.name ?? 'default';
  } catch {
    throw new ValidationError('property Manifest', 'a manifest in JSON', text);
  }
}

function textOf(properties: Readonly<Record<string, unknown>>, name: string): string {
  const value = properties[name];
  if (typeof value !== 'string' || value === '') throw new ValidationError(`property ${name}`, 'text', value);
  return value;
}

function choice<T extends string>(properties: Readonly<Record<string, unknown>>, name: string, usual: T, choices: readonly T[]): T {
  const value = String(properties[name] ?? usual);
  const found = choices.find((known) => known === value);
  if (found === undefined) throw new ValidationError(`property ${name}`, choices.join(' or '), properties[name]);
  return found;
}

const MAX_READABLE = 300;

/**
 * The name of the resource: the same for the same manifest of the same namespace and table, and another one where any of
 * the three is another. CloudFormation then deletes the old one after the new one is there.
 */
export function physicalIdOf({ table, namespace, name }: Pick<Properties, 'table' | 'namespace' | 'name'>): string {
  const readable = [table, namespace, name].map(encodeURIComponent).join('/');
  if (readable.length <= MAX_READABLE) return readable;
  return `${readable.slice(0, MAX_READABLE)}-${createHash('sha256').update(readable).digest('hex').slice(0, 32)}`;
}

const NOT_CREATED = '!not-created';

/**
 * The name of a resource whose creation failed and left nothing. CloudFormation deletes it at once, which must not touch
 * what the manifest's applies had made before.
 */
export function notCreated(physicalId: string): string {
  return `${physicalId}${NOT_CREATED}`;
}

/** Whether a name is that of a resource that was never created. `!` is no mark of the other names: theirs are encoded. */
export function isNotCreated(physicalId: string): boolean {
  return physicalId.endsWith(NOT_CREATED);
}
