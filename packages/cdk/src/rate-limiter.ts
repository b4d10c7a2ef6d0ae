import { METRICS_NAMESPACE } from '@millrace/core';
import { ArnFormat, Stack, Token } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { LimiterAlarms } from './alarms/limiter-alarms.js';
import { AuditArchive } from './audit-archive.js';
import { LimiterDashboard } from './dashboard/limiter-dashboard.js';
import { LimiterTable } from './limiter-table.js';
import { PropChecks, shown } from './prop-checks.js';
import { type IRateLimiter, RateLimiterBase } from './rate-limiter-base.js';
import { AGGREGATOR_OPTIONS, ALARMS_OPTIONS, DASHBOARD_OPTIONS } from './rate-limiter-options.js';
import type { RateLimiterAttributes, RateLimiterProps } from './rate-limiter-props.js';
import { TABLE_NAME, TABLE_NAME_WORDS } from './table-name.js';
import { addTags } from './tagging.js';
import { UsageAggregator } from './usage-aggregator.js';

const TABLE_ARN = /^arn:[a-z0-9-]+:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]{3,255}$/;

/** A rate limiter: its table, the function that counts its usage, alarms and a dashboard. It needs no props. */
export class RateLimiter extends RateLimiterBase {
  /**
   * A limiter that is not of this stack, for its grants and metrics. Nothing is made.
   *
   * @throws Error unless one of `tableName` and `tableArn` is given, only one, and is one: a star in it would open other tables
   */
  static fromRateLimiterAttributes(scope: Construct, id: string, attributes: RateLimiterAttributes): IRateLimiter {
    return new ImportedRateLimiter(scope, id, attributes);
  }

  override readonly tableName: string;
  override readonly tableArn: string;
  override readonly encryptionKey?: IKey;
  override readonly metricsNamespace: string;
  /** The table. */
  readonly table: LimiterTable;
  /** What counts the usage. */
  readonly aggregator?: UsageAggregator;
  /** Where audit events are kept. */
  readonly auditArchive?: AuditArchive;
  /** What tells somebody that something is wrong: subscribe to its topic. */
  readonly alarms?: LimiterAlarms;
  /** One page of all that there is to see. */
  readonly dashboard?: LimiterDashboard;

  constructor(scope: Construct, id: string, props: RateLimiterProps = {}) {
    super(scope, id);
    const checks = new PropChecks(this);
    const { usageAggregation = true, archiveAuditEvents = false, tags } = props;
    const aggregator = checks.options('aggregator', props.aggregator, AGGREGATOR_OPTIONS);
    this.table = new LimiterTable(this, 'Table', { ...props, tags: undefined });
    this.tableName = this.table.tableName;
    this.tableArn = this.table.tableArn;
    this.encryptionKey = this.table.encryptionKey;
    const needsAggregator = 'it is the function that usageAggregation: false leaves out';
    checks.notBoth('aggregator', aggregator !== undefined, 'usageAggregation: false', !usageAggregation, needsAggregator);
    checks.notBoth('archiveAuditEvents', archiveAuditEvents, 'usageAggregation: false', !usageAggregation, needsAggregator);
    const hasOwnArchive = aggregator?.auditArchive !== undefined;
    checks.notBoth('archiveAuditEvents', archiveAuditEvents, 'aggregator.auditArchive', hasOwnArchive, 'each is an archive');
    this.auditArchive = archiveAuditEvents && !hasOwnArchive ? this.createArchive(props) : aggregator?.auditArchive;
    if (usageAggregation) this.aggregator = this.createAggregator({ ...props, aggregator });
    this.metricsNamespace = this.aggregator?.metricsNamespace ?? METRICS_NAMESPACE;
    const { alarming = true, charting = true } = props;
    const alarms = checks.options('alarms', props.alarms, ALARMS_OPTIONS);
    const dashboard = checks.options('dashboard', props.dashboard, DASHBOARD_OPTIONS);
    checks.notBoth('alarms', alarms !== undefined, 'alarming: false', !alarming, 'they are what it leaves out');
    checks.notBoth('dashboard', dashboard !== undefined, 'charting: false', !charting, 'it is what that leaves out');
    const watched = { table: this.table.table, aggregator: this.aggregator };
    if (alarming) this.alarms = new LimiterAlarms(this, 'Alarms', { ...alarms, ...watched });
    if (charting) this.dashboard = new LimiterDashboard(this, 'Dashboard', { ...dashboard, ...watched, alarms: this.alarms });
    addTags(this, checks, tags);
  }

  private createAggregator({ aggregator, permissionsBoundary, roleNameFormat, policyNameFormat }: RateLimiterProps): UsageAggregator {
    // A role of the user's has a boundary and a name already.
    const forRole = aggregator?.role === undefined ? { permissionsBoundary, roleNameFormat, policyNameFormat } : {};
    const { auditArchive } = this;
    return new UsageAggregator(this, 'Aggregator', { ...forRole, ...aggregator, auditArchive, table: this.table.table });
  }

  private createArchive({ removalPolicy }: RateLimiterProps): AuditArchive {
    return new AuditArchive(this, 'AuditArchive', { encryptionKey: this.encryptionKey, removalPolicy });
  }
}

class ImportedRateLimiter extends RateLimiterBase {
  override readonly tableName: string;
  override readonly tableArn: string;
  override readonly encryptionKey?: IKey;
  override readonly metricsNamespace: string;

  constructor(scope: Construct, id: string, attributes: RateLimiterAttributes) {
    super(scope, id);
    const { tableName, tableArn, encryptionKey, metricsNamespace } = attributes;
    if ((tableName === undefined) === (tableArn === undefined)) {
      const got = tableName === undefined ? 'neither' : 'both';
      throw new Error(`${this.node.path}: one of tableName and tableArn must be given, got: ${got}`);
    }
    this.check('tableName', tableName, TABLE_NAME, TABLE_NAME_WORDS);
    this.check('tableArn', tableArn, TABLE_ARN, 'the ARN of a table, arn:aws:dynamodb:<region>:<account>:table/<name>');
    const stack = Stack.of(this);
    this.tableArn = tableArn ?? stack.formatArn({ service: 'dynamodb', resource: 'table', resourceName: tableName });
    this.tableName = tableName ?? (stack.splitArn(this.tableArn, ArnFormat.SLASH_RESOURCE_NAME).resourceName as string);
    this.encryptionKey = encryptionKey;
    this.metricsNamespace = new PropChecks(this).metricsNamespace(metricsNamespace) ?? METRICS_NAMESPACE;
  }

  private check(name: string, value: string | undefined, pattern: RegExp, expected: string): void {
    if (value === undefined || Token.isUnresolved(value) || pattern.test(value)) return;
    throw new Error(`${this.node.path}: ${name} must be ${expected}, got: ${shown(value)}`);
  }
}
