import { createHash } from 'node:crypto';
import { CustomResource, Names, RemovalPolicy } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct, type IConstruct } from 'constructs';
import { checkGiven, LIMITER_WORDS, PropChecks } from '../prop-checks.js';
import type { LimitsManifestProps } from './limits-manifest-props.js';
import { type ManifestText, manifestText } from './manifest-text.js';
import { provisionerFunction } from './provisioner-function.js';

const MAX_NAME = 100;

/**
 * The limits of a limiter, as code: a deployment makes them as they are said here, and puts back what there was when it
 * fails. What a manifest says wrong is told at synth, all at once.
 *
 * @example
 * new LimitsManifest(this, 'Limits', {
 *   limiter,
 *   system: [LimitRate.perMinute('rpm', 60)],
 *   resources: [{ resource: 'gpt-4', limits: [LimitRate.perMinute('rpm', 500), LimitRate.perMinute('tpm', 800_000)] }],
 * });
 */
export class LimitsManifest extends Construct {
  /** The function that makes the limits. Invoked with `{ "action": "drift" }` it tells what is not as it was deployed. */
  readonly handler: LambdaFunction;
  /** The function's logs, with the plan of each deployment. */
  readonly logGroup: ILogGroup;
  /** The name of the manifest, with which its limits are marked. */
  readonly manifestName: string;
  /** The namespace that the limits are in. */
  readonly namespace: string;
  /** What identifies the content: the same for the same limits, in whatever order or form they were given. */
  readonly contentHash: string;
  /** What the last deployment changed, one to a line: a token. */
  readonly changes: string;

  constructor(scope: Construct, id: string, props: LimitsManifestProps) {
    super(scope, id);
    checkGiven(this, props, 'limiter', LIMITER_WORDS);
    const checks = new PropChecks(this);
    const usualName = Names.uniqueResourceName(this, { maxLength: MAX_NAME, separator: '-' });
    const manifest = manifestText(props, usualName, checks);
    this.manifestName = manifest?.name ?? usualName;
    this.namespace = manifest?.namespace ?? 'default';
    if (manifest !== undefined) this.checkOnlyOne(props, manifest, checks);
    const { handler, logGroup, role, serviceTimeout } = provisionerFunction(this, props, manifest, checks);
    this.handler = handler;
    this.logGroup = logGroup;
    const { limiter, namespaceId } = props;
    const grant = namespaceId === undefined ? limiter.grantAdmin(role) : limiter.grantAdminForNamespace(role, namespaceId);
    // A text that the function refuses: what was told as wrong must not be applied by whoever ignores that.
    const text = manifest?.text ?? 'refused at synth';
    this.contentHash = createHash('sha256').update(text).digest('hex');
    const resource = new CustomResource(this, 'Resource', {
      serviceToken: handler.functionArn,
      serviceTimeout,
      resourceType: 'Custom::MillraceLimits',
      properties: {
        Table: limiter.tableName,
        Namespace: this.namespace,
        Manifest: text,
        ContentHash: this.contentHash,
        Prune: String(props.prune ?? false),
        OnDelete: onDelete(props.removalPolicy, checks),
        Register: String(this.registers(props, checks)),
      },
    });
    // Before the limits are made, and until they are removed, the function must have its access and its logs.
    grant.applyBefore(resource);
    resource.node.addDependency(role, logGroup);
    this.changes = resource.getAttString('Changes');
  }

  private registers({ registerNamespace, namespaceId }: LimitsManifestProps, checks: PropChecks): boolean {
    if (registerNamespace === true && namespaceId !== undefined) {
      checks.refuse('registerNamespace and namespaceId must not both be set: a namespace that has an id is registered');
    }
    return registerNamespace ?? (namespaceId === undefined && this.namespace === 'default');
  }

  /** Two of one name would take each other's limits for their own. */
  private checkOnlyOne({ limiter }: LimitsManifestProps, { name, namespace }: ManifestText, checks: PropChecks): void {
    const known = others.get(this.node.root) ?? new Map<string, string>();
    others.set(this.node.root, known);
    const key = JSON.stringify([limiter.node.addr, namespace, name]);
    const other = known.get(key);
    if (other !== undefined) {
      checks.refuse(`manifestName must be one that no other manifest of namespace '${namespace}' has, got: '${name}', as ${other} has`);
    }
    known.set(key, this.node.path);
  }
}

/** The manifests of each app, by limiter, namespace and name. */
const others = new WeakMap<IConstruct, Map<string, string>>();

function onDelete(policy: RemovalPolicy = RemovalPolicy.RETAIN, checks: PropChecks): string {
  if (policy !== RemovalPolicy.RETAIN && policy !== RemovalPolicy.DESTROY) {
    checks.refuse(`removalPolicy must be RETAIN or DESTROY, got: ${policy}`);
  }
  return policy === RemovalPolicy.DESTROY ? 'remove' : 'keep';
}
