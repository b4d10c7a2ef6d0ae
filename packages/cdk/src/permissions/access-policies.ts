import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { formattedName } from '../name-format.js';
import { checkGiven, LIMITER_WORDS, PropChecks } from '../prop-checks.js';
import type { IRateLimiter } from '../rate-limiter-base.js';
import { AccessRole } from './access-role.js';
import { grantRole } from './grant-role.js';

const MAX_POLICY_NAME = 128;

/** Which limiter the policies are for. */
export interface AccessPoliciesProps {
  /** The limiter. */
  readonly limiter: IRateLimiter;

  /**
   * The id of a namespace, which fences the policies to it; or what `NamespaceId.fromPrincipalTag` gives.
   *
   * @default - all namespaces
   */
  readonly namespaceId?: string;

  /**
   * Whether the policy for services also lets them record usage events: needed where their limiters have the option `billing`.
   *
   * @default false
   */
  readonly recordUsage?: boolean;

  /**
   * How the policies are named: `{}` stands for the stack's name and the role of use, as `-acquire`.
   *
   * @default - CloudFormation makes names up
   */
  readonly policyNameFormat?: string;
}

/**
 * A managed policy for each role of use, to attach where no grant can be given: to roles that are made elsewhere, by hand,
 * or to the permission sets of an identity centre.
 */
export class AccessPolicies extends Construct {
  /** For services: acquire, adjust and release, and with `recordUsage` record what they bill. */
  readonly acquire: ManagedPolicy;
  /** For dashboards and reports. */
  readonly read: ManagedPolicy;
  /** For operators. */
  readonly admin: ManagedPolicy;

  constructor(scope: Construct, id: string, props: AccessPoliciesProps) {
    super(scope, id);
    checkGiven(this, props, 'limiter', LIMITER_WORDS);
    this.acquire = this.createPolicy('Acquire', AccessRole.ACQUIRE, 'Acquires from', props);
    this.read = this.createPolicy('Read', AccessRole.READ, 'Reads', props);
    this.admin = this.createPolicy('Admin', AccessRole.ADMIN, 'Administers', props);
  }

  private createPolicy(id: string, role: AccessRole, does: string, props: AccessPoliciesProps): ManagedPolicy {
    const { limiter, namespaceId, recordUsage = false, policyNameFormat: format } = props;
    const named = { prop: 'policyNameFormat', format, part: role, most: MAX_POLICY_NAME };
    const policy = new ManagedPolicy(this, id, {
      managedPolicyName: formattedName(new PropChecks(this), this, named),
      description: `${does} the rate limiter ${limiter.node.path}`,
    });
    grantRole(limiter, role, policy, namespaceId);
    if (recordUsage && role === AccessRole.ACQUIRE) grantRole(limiter, AccessRole.RECORD_USAGE, policy, namespaceId);
    return policy;
  }
}
