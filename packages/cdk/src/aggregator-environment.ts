import { WINDOW_TYPES } from '@millrace/core';
import { DEFAULT_RETENTION, LEAST_RETENTION } from '@millrace/ledger';
import { Token } from 'aws-cdk-lib';
import type { OptionNames, PropChecks } from './prop-checks.js';
import type { UsageAggregatorProps } from './usage-aggregator-props.js';
import { leastKeptDays, sealingVariables } from './usage-sealing.js';
import type { UsageRetention, UsageWindowType } from './usage-windows.js';

const MAX_DAYS = 36_500;
/** The role may write what begins with it, so that what IAM reads as a pattern or a variable must not be in it. */
const AUDIT_PREFIX = /^(?!(?:.*\/)?\.{1,2}\/)[\w!.'()/=+@,:-]{1,256}$/;
const AUDIT_PREFIX_WORDS = "1 to 256 letters, digits or any of _!.'()/=+@,:-, without the parts . and ..";

const RETENTION_OPTIONS: OptionNames<UsageRetention> = { hour: true, day: true, week: true, month: true };

/** What the function is told, in the variables that it reads; what is left out it knows itself. */
export function aggregatorEnvironment(props: UsageAggregatorProps, metricsNamespace: string, checks: PropChecks): Record<string, string> {
  const { thresholdEventBus, thresholdPercent, auditArchive, auditPrefix } = props;
  if (thresholdEventBus !== undefined && thresholdPercent === undefined) {
    checks.refuse('thresholdPercent must be set beside thresholdEventBus: it says when an event is due');
  }
  if (auditPrefix !== undefined && auditArchive === undefined) {
    checks.refuse(`auditPrefix must be left out where there is no auditArchive, got: '${auditPrefix}'`);
  }
  const variables: Record<string, string | undefined> = {
    MILLRACE_TABLE: props.table.tableName,
    MILLRACE_METRICS_NAMESPACE: metricsNamespace,
    MILLRACE_WINDOW_TYPES: windowTypesOf(props.windowTypes, checks),
    MILLRACE_RETENTION_DAYS: retentionOf(props, checks),
    MILLRACE_APPLY_CONCURRENCY: checks.wholeNumber('applyConcurrency', props.applyConcurrency, 1, 200)?.toString(),
    MILLRACE_THRESHOLD_PERCENT: checks.wholeNumber('thresholdPercent', thresholdPercent, 1, 100)?.toString(),
    MILLRACE_EVENT_BUS: thresholdEventBus?.eventBusName,
    MILLRACE_AUDIT_BUCKET: auditArchive?.bucket.bucketName,
    MILLRACE_AUDIT_PREFIX: checks.text('auditPrefix', auditPrefix, AUDIT_PREFIX, AUDIT_PREFIX_WORDS),
    ...sealingVariables(props, checks),
  };
  return Object.fromEntries(Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function windowTypesOf(types: readonly UsageWindowType[] | undefined, checks: PropChecks): string | undefined {
  const known = checks.someOf('windowTypes', types, WINDOW_TYPES as readonly UsageWindowType[]);
  return known === undefined || Token.isUnresolved(known) ? undefined : [...new Set(known)].join(',');
}

function retentionOf(props: UsageAggregatorProps, checks: PropChecks): string | undefined {
  const retention = checks.options('usageRetention', props.usageRetention, RETENTION_OPTIONS);
  if (retention === undefined) return undefined;
  const days = WINDOW_TYPES.map((type) => {
    const given = checks.days(`usageRetention: ${type}`, retention[type], LEAST_RETENTION[type], MAX_DAYS);
    const days = given?.toDays() ?? DEFAULT_RETENTION[type];
    const least = leastKeptDays(props, type as UsageWindowType);
    if (days !== undefined && days < least) {
      checks.refuse(
        `usageRetention: ${type} must be ${least} days or more, so that it is there when it is sealed (seals.delay), got: ${days} days`,
      );
    }
    return days === undefined ? undefined : `${type}=${days}`;
  });
  return days.filter((day) => day !== undefined).join(',');
}
