import type { Duration } from 'aws-cdk-lib';
import { type IManagedPolicy, type IPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { formattedName } from '../name-format.js';
import { checkGiven, LIMITER_WORDS, PropChecks } from '../prop-checks.js';
import type { IRateLimiter } from '../rate-limiter-base.js';
import { AccessRole } from './access-role.js';
import { grantRole } from './grant-role.js';

/** Which limiter the roles are for, and who takes them on. */
export interface AccessRolesProps {
  /** The limiter. */
  readonly limiter: IRateLimiter;

  /** Who may take the roles on. */
  readonly assumedBy: IPrincipal;

  /**
   * The id of a namespace, which fences the roles to it; or what `NamespaceId.fromPrincipalTag` gives, for which
   * `assumedBy` must allow session tags: `new AccountRootPrincipal().withSessionTags()`.
   *
   * @default - all namespaces
   */
  readonly namespaceId?: string;

  /**
   * Whether the role for services also lets them record usage events: needed where their limiters have the option `billing`.
   *
   * @default false
   */
  readonly recordUsage?: boolean;

  /**
   * The permissions boundary of the roles.
   *
   * @default - none
   */
  readonly permissionsBoundary?: IManagedPolicy;

  /**
   * How the roles are named: `{}` stands for the stack's name and the role of use, as `-acquire`.
   *
   * @default - CloudFormation makes names up
   */
  readonly roleNameFormat?: string;

  /**
   * For how long one session may last, from one hour to twelve.
   *
   * @default Duration.hours(1)
   */
  readonly maxSessionDuration?: Duration;
}

/** A role of IAM for each role of use, for people and services that take one on. */
export class AccessRoles extends Construct {
  /** For services: acquire, adjust and release, and with `recordUsage` record what they bill. */
  readonly acquire: Role;
  /** For dashboards and reports. */
  readonly read: Role;
  /** For operators. */
  readonly admin: Role;

  constructor(scope: Construct, id: string, props: AccessRolesProps) {
    super(scope, id);
    checkGiven(this, props, 'limiter', LIMITER_WORDS);
    checkGiven(this, props, 'assumedBy', 'a principal: who may take the roles on');
    const checks = new PropChecks(this);
    const maxSessionDuration = checks.seconds('maxSessionDuration', props.maxSessionDuration, 3_600, 43_200);
    const create = (name: string, role: AccessRole, does: string): Role => {
      const { limiter, assumedBy, namespaceId, permissionsBoundary, roleNameFormat: format } = props;
      const made = new Role(this, name, {
        assumedBy,
        roleName: formattedName(checks, this, { prop: 'roleNameFormat', format, part: role }),
        permissionsBoundary,
        maxSessionDuration,
        description: `${does} the rate limiter ${limiter.node.path}`,
      });
      grantRole(limiter, role, made, namespaceId);
      if (props.recordUsage && role === AccessRole.ACQUIRE) grantRole(limiter, AccessRole.RECORD_USAGE, made, namespaceId);
      return made;
    };
    this.acquire = create('Acquire', AccessRole.ACQUIRE, 'Acquires from');
    this.read = create('Read', AccessRole.READ, 'Reads');
    this.admin = create('Admin', AccessRole.ADMIN, 'Administers');
  }
}
