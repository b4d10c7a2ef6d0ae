import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct, type IConstruct } from 'constructs';
import { LimiterTable, type LimiterTableProps } from './limiter-table.js';
import { AccessRole, accessStatements } from './permissions/access-statements.js';
import { UsageAggregator } from './usage-aggregator.js';

/** A limiter: a table that services take tokens from. */
export interface IRateLimiter extends IConstruct {
  /** The name of the table, by which the SDK opens the limiter. */
  readonly tableName: string;
  /** The ARN of the table. */
  readonly tableArn: string;
  /** The key that the table is encrypted with, where that is a key of the account's. */
  readonly encryptionKey?: IKey;

  /** Lets a service acquire, adjust and release in all namespaces. */
  grantAcquire(grantee: IGrantable): Grant;
  /** Lets somebody read limits, buckets and usage in all namespaces. */
  grantRead(grantee: IGrantable): Grant;
  /** Lets an operator change entities, limits and namespaces. */
  grantAdmin(grantee: IGrantable): Grant;
  /** Lets a service acquire in one namespace, by its id, and nowhere else. */
  grantAcquireForNamespace(grantee: IGrantable, namespaceId: string): Grant;
  /** Lets somebody read in one namespace, by its id, and nowhere else. */
  grantReadForNamespace(grantee: IGrantable, namespaceId: string): Grant;
  /** Lets an operator change entities and limits of one namespace, by its id, and nowhere else. */
  grantAdminForNamespace(grantee: IGrantable, namespaceId: string): Grant;

  /** A metric of DynamoDB about the table, by its name there. */
  metric(metricName: string, options?: MetricOptions): Metric;
}

/** What is the same for a limiter of this stack and for one that is elsewhere. */
export abstract class RateLimiterBase extends Construct implements IRateLimiter {
  abstract readonly tableName: string;
  abstract readonly tableArn: string;
  abstract readonly encryptionKey?: IKey;

  grantAcquire(grantee: IGrantable): Grant {
    return this.grant(grantee, AccessRole.ACQUIRE);
  }

  grantRead(grantee: IGrantable): Grant {
    return this.grant(grantee, AccessRole.READ);
  }

  grantAdmin(grantee: IGrantable): Grant {
    return this.grant(grantee, AccessRole.ADMIN);
  }

  grantAcquireForNamespace(grantee: IGrantable, namespaceId: string): Grant {
    return this.grant(grantee, AccessRole.ACQUIRE, namespaceId);
  }

  grantReadForNamespace(grantee: IGrantable, namespaceId: string): Grant {
    return this.grant(grantee, AccessRole.READ, namespaceId);
  }

  grantAdminForNamespace(grantee: IGrantable, namespaceId: string): Grant {
    return this.grant(grantee, AccessRole.ADMIN, namespaceId);
  }

  metric(metricName: string, options: MetricOptions = {}): Metric {
    return new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: this.tableName },
      period: Duration.minutes(1),
      ...options,
    });
  }

  private grant(grantee: IGrantable, role: AccessRole, namespaceId?: string): Grant {
    return accessStatements(role, { tableArn: this.tableArn, namespaceId })
      .map((statement) =>
        Grant.addToPrincipal({
          grantee,
          actions: statement.actions,
          resourceArns: statement.resources,
          conditions: statement.conditions as Record<string, Record<string, unknown>>,
        }),
      )
      .reduce((one, other) => one.combine(other));
  }
}

/** What a limiter is made of. */
export interface RateLimiterProps extends LimiterTableProps {}

/** A rate limiter: its table and what counts its usage. It needs no props. */
export class RateLimiter extends RateLimiterBase {
  override readonly tableName: string;
  override readonly tableArn: string;
  override readonly encryptionKey?: IKey;
  /** The table. */
  readonly table: LimiterTable;
  /** What counts the usage. */
  readonly aggregator?: UsageAggregator;

  constructor(scope: Construct, id: string, props: RateLimiterProps = {}) {
    super(scope, id);
    this.table = new LimiterTable(this, 'Table', props);
    this.tableName = this.table.tableName;
    this.tableArn = this.table.tableArn;
    this.encryptionKey = this.table.encryptionKey;
    this.aggregator = new UsageAggregator(this, 'Aggregator', { table: this.table.table });
  }
}
