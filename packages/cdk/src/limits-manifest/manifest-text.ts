import {
  describeIssue,
  type Manifest,
  ManifestError,
  type ManifestPath,
  manifest as makeManifest,
  parseManifest,
  writeManifest,
} from '@millrace/limits/manifest';
import { Token } from 'aws-cdk-lib';
import { type OptionNames, type PropChecks, shown } from '../prop-checks.js';
import { type LimitRate, limitSource } from './limit-rate.js';
import type { EntityLimits, LimitsManifestOptions, ResourceLimits } from './limits-manifest-props.js';
import { type ManifestSource, sourceContent } from './manifest-source.js';

/** A manifest that was checked, as it goes to the function. */
export interface ManifestText {
  readonly name: string;
  readonly namespace: string;
  readonly text: string;
}

/** Props that say what limits there are, of which `source` takes the place. */
const TYPED = ['system', 'onUnavailable', 'resources', 'entities'] as const;
/**
 * What a request of CloudFormation holds of one manifest: Lambda takes 256 KB, and an update brings the manifest of before,
 * too, both as text in JSON.
 */
const MAX_BYTES = 120_000;

const RESOURCE_LIMITS: OptionNames<ResourceLimits> = { resource: true, limits: true };
const ENTITY_LIMITS: OptionNames<EntityLimits> = { entity: true, limits: true, resources: true };

/**
 * Makes the manifest that the props mean. All mistakes are told, by the checks of `millrace limits`; then the answer is
 * undefined.
 */
export function manifestText(props: LimitsManifestOptions, usualName: string, checks: PropChecks): ManifestText | undefined {
  const given = TYPED.filter((prop) => props[prop] !== undefined);
  if (props.source !== undefined && given.length > 0) {
    return checks.refuse(`source and ${given.join(', ')} must not both be set: source says all the limits`);
  }
  if (props.source === undefined && given.length === 0) {
    return checks.refuse(`one of source, ${TYPED.join(', ')} must be set; for no limits at all, give resources: []`);
  }
  const found = props.source === undefined ? typedManifest(props, checks) : sourceManifest(props.source, checks);
  return found && named(found, props, usualName, checks);
}

function sourceManifest(source: ManifestSource, checks: PropChecks): Manifest | undefined {
  const content = sourceContent(source);
  if (content === undefined) {
    return checks.refuse(`source must be made by ManifestSource.fromFile or ManifestSource.fromYaml, got: ${shown(source)}`);
  }
  const { title, format, read } = content;
  try {
    const text = read();
    if (Token.isUnresolved(text)) return checks.refuse(`${title} must be known at synth, as it is checked there; got a token`);
    return parseManifest(text, { format });
  } catch (error) {
    return refuseAll(error, title, checks);
  }
}

function typedManifest(props: LimitsManifestOptions, checks: PropChecks): Manifest | undefined {
  const { system, onUnavailable, resources = [], entities = [] } = props;
  const builder = new SourceBuilder(checks);
  const source = {
    ...(system === undefined && onUnavailable === undefined
      ? {}
      : {
          system: {
            ...(onUnavailable === undefined ? {} : { onUnavailable }),
            ...(system === undefined ? {} : { limits: builder.limits(system, ['system', 'limits']) }),
          },
        }),
    resources: builder.resources(resources, ['resources']),
    entities: builder.entities(entities),
  };
  builder.checkKnown(source, []);
  if (builder.isWrong) return undefined;
  try {
    return makeManifest(source as Parameters<typeof makeManifest>[0]);
  } catch (error) {
    return refuseAll(error, '', checks);
  }
}

/** Gives a manifest its name. The namespace is left out of the text: it is a property of its own, and may be fenced. */
function named(found: Manifest, props: LimitsManifestOptions, usualName: string, checks: PropChecks): ManifestText | undefined {
  const { namespace: inSource, name: nameInSource, ...rest } = found;
  const hasName = nameInSource !== 'default';
  const name = props.manifestName ?? (hasName ? nameInSource : usualName);
  const namespace = props.namespace ?? inSource ?? 'default';
  const wrong = [
    isOther('manifestName', props.manifestName, hasName ? nameInSource : undefined, checks),
    isOther('namespace', props.namespace, inSource, checks),
    isBadName({ name, namespace }, checks),
  ];
  if (wrong.includes(true)) return undefined;
  const text = writeManifest({ ...rest, name });
  const bytes = Buffer.byteLength(JSON.stringify(text));
  if (bytes <= MAX_BYTES) return { name, namespace, text };
  return checks.refuse(
    `the manifest must take at most ${MAX_BYTES} bytes in a request of CloudFormation, got: ${bytes}; divide it into several of different names`,
  );
}

function isOther(prop: string, value: string | undefined, inSource: string | undefined, checks: PropChecks): boolean {
  if (value === undefined || inSource === undefined || value === inSource) return false;
  checks.refuse(`${prop} must be left out, or be what source says ('${inSource}'), got: '${value}'`);
  return true;
}

function isBadName(names: { readonly name: string; readonly namespace: string }, checks: PropChecks): boolean {
  const token = Object.entries(names).find(([, value]) => Token.isUnresolved(value));
  if (token !== undefined) {
    checks.refuse(`${token[0] === 'name' ? 'manifestName' : token[0]} must be known at synth, got a token`);
    return true;
  }
  try {
    makeManifest(names);
    return false;
  } catch (error) {
    refuseAll(error, '', checks);
    return true;
  }
}

function refuseAll(error: unknown, title: string, checks: PropChecks): undefined {
  const before = title === '' ? '' : `${title}: `;
  if (!(error instanceof ManifestError)) return checks.refuse(`${before}${(error as Error).message}`);
  for (const issue of error.issues) checks.refuse(`${before}${describeIssue(issue)}`);
  return undefined;
}

function withoutUndefined(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));
}

/** Makes of lists what a manifest has as objects, and tells what objects could not: names that are given twice, and tokens. */
class SourceBuilder {
  private readonly checks: PropChecks;
  isWrong = false;

  constructor(checks: PropChecks) {
    this.checks = checks;
  }

  resources(list: readonly ResourceLimits[], path: ManifestPath): object {
    return this.byName(list, path, RESOURCE_LIMITS, ({ resource, limits }) => [resource, this.limits(limits, [...path, resource])]);
  }

  entities(list: readonly EntityLimits[]): object {
    return this.byName(list, ['entities'], ENTITY_LIMITS, ({ entity, limits, resources }) => [
      entity,
      {
        ...(limits === undefined ? {} : { default: this.limits(limits, ['entities', entity, 'limits']) }),
        ...(resources === undefined ? {} : { resources: this.resources(resources, ['entities', entity, 'resources']) }),
      },
    ]);
  }

  limits(limits: readonly LimitRate[], path: ManifestPath): readonly unknown[] {
    return this.list(limits, path).map((limit, index) => {
      const source = limitSource(limit);
      if (source === undefined)
        this.tell([...path, index], `must be made by LimitRate (LimitRate.parse('rpm:60/min'), say), got ${shown(limit)}`);
      return withoutUndefined(source);
    });
  }

  /** Tells values that are only known at deployment: what is checked at synth must be known there. */
  checkKnown(value: unknown, path: ManifestPath): void {
    if (Token.isUnresolved(value)) {
      this.tell(path, 'must be known at synth, as it is checked there; got a token');
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, part] of Object.entries(value)) {
        if (Token.isUnresolved(key)) this.tell(path, 'has a name that is only known at deployment');
        else this.checkKnown(part, [...path, Array.isArray(value) ? Number(key) : key]);
      }
    }
  }

  private byName<T extends object>(
    list: readonly T[],
    path: ManifestPath,
    known: OptionNames<T>,
    entryOf: (item: T) => [string, unknown],
  ): object {
    const items = this.list(list, path).filter((item, index) => this.isKnown([...path, index], item, known));
    const entries = items.map(entryOf);
    const names = entries.map(([name]) => name);
    for (const name of new Set(names.filter((found, index) => names.indexOf(found) < index))) this.tell([...path, name], 'is given twice');
    return Object.fromEntries(entries);
  }

  private list<T>(list: readonly T[], path: ManifestPath): readonly T[] {
    if (Array.isArray(list)) return list;
    this.tell(path, `must be a list, got ${shown(list)}`);
    return [];
  }

  private isKnown<T extends object>(path: ManifestPath, item: T, known: OptionNames<T>): boolean {
    const isObject = typeof item === 'object' && item !== null;
    const strange = isObject ? Object.keys(item).filter((key) => !Object.hasOwn(known, key)) : [];
    const wrong = isObject ? strange.join(', ') : shown(item);
    if (wrong !== '') this.tell(path, `must have none but ${Object.keys(known).join(', ')}, got ${wrong}`);
    return isObject;
  }

  private tell(path: ManifestPath, message: string): void {
    this.isWrong = true;
    this.checks.refuse(describeIssue({ path, message }));
  }
}
