import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct, type IConstruct } from 'constructs';
import { metricPlace } from './metric-place.js';
import { AccessRole } from './permissions/access-role.js';
import { accessStatements } from './permissions/access-statements.js';
import { checkNamespaceId } from './permissions/namespace-id.js';
import { grantTableKey } from './table-key.js';

/** A limiter: a table that services take tokens from. */
export interface IRateLimiter extends IConstruct {
  /** The name of the table, by which the SDK opens the limiter. */
  readonly tableName: string;
  /** The ARN of the table. */
  readonly tableArn: string;
  /** The key that the table is encrypted with, where that is a key of the account's. */
  readonly encryptionKey?: IKey;
  /** The namespace of CloudWatch that the limiter's own metrics are in. */
  readonly metricsNamespace: string;

  /** Lets a service acquire, adjust and release in all namespaces. */
  grantAcquire(grantee: IGrantable): Grant;
  /** Lets a service that may acquire also record usage events, in all namespaces: one whose limiter has the option `billing`. */
  grantRecordUsage(grantee: IGrantable): Grant;
  /** Lets somebody read limits, buckets and usage in all namespaces. */
  grantRead(grantee: IGrantable): Grant;
  /** Lets an operator change entities, limits and namespaces. */
  grantAdmin(grantee: IGrantable): Grant;
  /** Lets a service acquire in one namespace, by its id, and nowhere else. */
  grantAcquireForNamespace(grantee: IGrantable, namespaceId: string): Grant;
  /** Lets a service that may acquire in one namespace also record usage events there, by its id, and nowhere else. */
  grantRecordUsageForNamespace(grantee: IGrantable, namespaceId: string): Grant;
  /** Lets somebody read in one namespace, by its id, and nowhere else. */
  grantReadForNamespace(grantee: IGrantable, namespaceId: string): Grant;
  /** Lets an operator change entities and limits of one namespace, by its id, and nowhere else. */
  grantAdminForNamespace(grantee: IGrantable, namespaceId: string): Grant;

  /** A metric of DynamoDB about the table, by its name there. */
  metric(metricName: string, options?: MetricOptions): Metric;
  /** Read units that were consumed, summed. */
  metricConsumedReadUnits(options?: MetricOptions): Metric;
  /** Write units that were consumed, summed. */
  metricConsumedWriteUnits(options?: MetricOptions): Metric;
  /** Reads that DynamoDB throttled. */
  metricReadThrottles(options?: MetricOptions): Metric;
  /** Writes that DynamoDB throttled. */
  metricWriteThrottles(options?: MetricOptions): Metric;
  /** A metric of the limiter's own about this table, by its name. */
  metricMillrace(metricName: string, options?: MetricOptions): Metric;
}

/** What is the same for a limiter of this stack and for one that is elsewhere. */
export abstract class RateLimiterBase extends Construct implements IRateLimiter {
  /** The name of the table, by which the SDK opens the limiter. */
  abstract readonly tableName: string;
  /** The ARN of the table. */
  abstract readonly tableArn: string;
  /** The key that the table is encrypted with, where that is a key of the account's. */
  abstract readonly encryptionKey?: IKey;
  /** The namespace of CloudWatch that the limiter's own metrics are in. */
  abstract readonly metricsNamespace: string;

  /** Lets a service acquire, adjust and release in all namespaces. */
  grantAcquire(grantee: IGrantable): Grant {
    return this.grant(grantee, AccessRole.ACQUIRE);
  }

  /** Lets a service that may acquire also record usage events, in all namespaces: one whose limiter has the option `billing`. */
  grantRecordUsage(grantee: IGrantable): Grant {
    return this.grant(grantee, AccessRole.RECORD_USAGE);
  }

  /** Lets somebody read limits, buckets and usage in all namespaces. */
  grantRead(grantee: IGrantable): Grant {
    return this.grant(grantee, AccessRole.READ);
  }

  /** Lets an operator change entities, limits and namespaces. */
  grantAdmin(grantee: IGrantable): Grant {
    return this.grant(grantee, AccessRole.ADMIN);
  }

  /** Lets a service acquire in one namespace, by its id, and nowhere else. */
  grantAcquireForNamespace(grantee: IGrantable, namespaceId: string): Grant {
    return this.grant(grantee, AccessRole.ACQUIRE, checkNamespaceId(namespaceId));
  }

  /** Lets a service that may acquire in one namespace also record usage events there, by its id, and nowhere else. */
  grantRecordUsageForNamespace(grantee: IGrantable, namespaceId: string): Grant {
    return this.grant(grantee, AccessRole.RECORD_USAGE, checkNamespaceId(namespaceId));
  }

  /** Lets somebody read in one namespace, by its id, and nowhere else. */
  grantReadForNamespace(grantee: IGrantable, namespaceId: string): Grant {
    return this.grant(grantee, AccessRole.READ, checkNamespaceId(namespaceId));
  }

  /** Lets an operator change entities and limits of one namespace, by its id, and nowhere else. */
  grantAdminForNamespace(grantee: IGrantable, namespaceId: string): Grant {
    return this.grant(grantee, AccessRole.ADMIN, checkNamespaceId(namespaceId));
  }

  /** A metric of DynamoDB about the table, by its name there. */
  metric(metricName: string, options: MetricOptions = {}): Metric {
    return this.metricOf('AWS/DynamoDB', metricName, { TableName: this.tableName }, options);
  }

  /** Read units that were consumed, summed. */
  metricConsumedReadUnits(options?: MetricOptions): Metric {
    return this.metric('ConsumedReadCapacityUnits', options);
  }

  /** Write units that were consumed, summed. */
  metricConsumedWriteUnits(options?: MetricOptions): Metric {
    return this.metric('ConsumedWriteCapacityUnits', options);
  }

  /** Reads that DynamoDB throttled. */
  metricReadThrottles(options?: MetricOptions): Metric {
    return this.metric('ReadThrottleEvents', options);
  }

  /** Writes that DynamoDB throttled. */
  metricWriteThrottles(options?: MetricOptions): Metric {
    return this.metric('WriteThrottleEvents', options);
  }

  /** A metric of the limiter's own about this table, by its name. */
  metricMillrace(metricName: string, options: MetricOptions = {}): Metric {
    return this.metricOf(this.metricsNamespace, metricName, { Table: this.tableName }, options);
  }

  private grant(grantee: IGrantable, role: AccessRole, namespaceId?: string): Grant {
    const grants = accessStatements(role, { tableArn: this.tableArn, namespaceId }).map((statement) =>
      Grant.addToPrincipal({
        grantee,
        actions: statement.actions,
        resourceArns: statement.resources,
        conditions: statement.conditions as Record<string, Record<string, unknown>>,
      }),
    );
    if (this.encryptionKey !== undefined) {
      grants.push(grantTableKey(this.encryptionKey, grantee, role === AccessRole.READ ? 'reading' : 'writing'));
    }
    return grants.reduce((one, other) => one.combine(other));
  }

  private metricOf(namespace: string, metricName: string, dimensionsMap: Record<string, string>, options: MetricOptions): Metric {
    const usual = { period: Duration.minutes(1), statistic: Stats.SUM, ...metricPlace(this, this.tableArn) };
    return new Metric({ namespace, metricName, dimensionsMap, ...usual, ...options });
  }
}
