import { ENTITY_FIELD, METRIC_DIMENSION } from '@millrace/core';
import { Names, Stack } from 'aws-cdk-lib';
import { CfnInsightRule } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** A rule that ranks entities by what the lines of `topEntities` say of them, most first. */
export function entityRanking(scope: Construct, id: string, tableName: string, logGroups: readonly ILogGroup[], field: string): string {
  const body = {
    Schema: { Name: 'CloudWatchLogRule', Version: 1 },
    LogGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
    LogFormat: 'JSON',
    Contribution: {
      Keys: [`$.${ENTITY_FIELD.entity}`, `$.${METRIC_DIMENSION.resource}`],
      ValueOf: `$.${field}`,
      Filters: [{ Match: `$.${METRIC_DIMENSION.table}`, In: [tableName] }],
    },
    AggregateOn: 'Sum',
  };
  const rule = new CfnInsightRule(scope, id, {
    ruleName: `${Names.uniqueResourceName(scope, { maxLength: 100 })}${id}`,
    ruleState: 'ENABLED',
    ruleBody: Stack.of(scope).toJsonString(body),
  });
  return rule.ruleName;
}
