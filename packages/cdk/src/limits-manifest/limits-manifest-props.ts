import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IManagedPolicy, IRole } from 'aws-cdk-lib/aws-iam';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IRateLimiter } from '../rate-limiter-base.js';
import type { LimitRate } from './limit-rate.js';
import type { ManifestSource } from './manifest-source.js';

/** What a call does when the table cannot be reached. */
export enum UnavailableAction {
  /** It is refused with an error. */
  BLOCK = 'block',
  /** It is admitted, and the lease says that nobody counted it. */
  ALLOW = 'allow',
}

/** The limits of a resource. */
export interface ResourceLimits {
  /** The name of the resource. */
  readonly resource: string;
  /** One to ten limits of different names. */
  readonly limits: LimitRate[];
}

/** What an entity has of its own. */
export interface EntityLimits {
  /** The name of the entity. */
  readonly entity: string;

  /**
   * Its limits on resources that it has none of its own for.
   *
   * @default - those of the resource, or of the system
   */
  readonly limits?: LimitRate[];

  /**
   * Its limits on single resources.
   *
   * @default - none
   */
  readonly resources?: ResourceLimits[];
}

/** What limits there shall be. */
export interface LimitsManifestOptions {
  /**
   * The name of the manifest: its limits are marked with it, and only what has the mark is ever removed. Two manifests of
   * one namespace have two names.
   *
   * @default - the name in `source`; where that has none, or is `default`, one that is made of the construct's path
   */
  readonly manifestName?: string;

  /**
   * The namespace that the limits are for.
   *
   * @default - the one in `source`, or else 'default'
   */
  readonly namespace?: string;

  /**
   * Whether the namespace is registered when it is not there. It takes access to the whole table.
   *
   * @default - true for the namespace 'default', which every table has; false for others, and beside `namespaceId`
   */
  readonly registerNamespace?: boolean;

  /**
   * The id of the namespace, as `millrace namespace show` tells it. With it the function has access to nothing else.
   *
   * @default - the function has access to the whole table
   */
  readonly namespaceId?: string;

  /**
   * The manifest as YAML or JSON, in place of `system`, `onUnavailable`, `resources` and `entities`.
   *
   * @default - the limits are given as props
   */
  readonly source?: ManifestSource;

  /**
   * The limits of whoever has no others.
   *
   * @default - none
   */
  readonly system?: LimitRate[];

  /**
   * What calls do when the table cannot be reached.
   *
   * @default - what is stored stays; where nothing is, they are refused
   */
  readonly onUnavailable?: UnavailableAction;

  /**
   * The limits of resources.
   *
   * @default - none
   */
  readonly resources?: ResourceLimits[];

  /**
   * The limits of single entities.
   *
   * @default - none
   */
  readonly entities?: EntityLimits[];

  /**
   * Whether a deployment removes limits that an earlier one made and the manifest no longer says. What others have made is
   * never removed.
   *
   * @default false
   */
  readonly prune?: boolean;

  /**
   * What becomes of the limits when this leaves the stack, or is for another table, namespace or name: RETAIN or DESTROY.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * How long a deployment may work on the limits, with what it takes to put them back: one to fifteen minutes. Some
   * thousand levels take a few seconds.
   *
   * @default Duration.minutes(5)
   */
  readonly timeout?: Duration;

  /**
   * The function's memory, in MB: 128 to 3008.
   *
   * @default 256
   */
  readonly memorySize?: number;

  /**
   * How long the function's logs are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;

  /**
   * The role of the function.
   *
   * @default - one is made
   */
  readonly role?: IRole;

  /**
   * The boundary of the role that is made.
   *
   * @default - none
   */
  readonly permissionsBoundary?: IManagedPolicy;

  /**
   * How the role that is made is called: `{}` stands for the name of the stack and `limits`. Two manifests of one stack want
   * two formats.
   *
   * @default - CloudFormation makes a name up
   */
  readonly roleNameFormat?: string;
}

/** The limits of a limiter, as code. */
export interface LimitsManifestProps extends LimitsManifestOptions {
  /** The limiter. */
  readonly limiter: IRateLimiter;
}
