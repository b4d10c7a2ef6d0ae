import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** Actions that are allowed, on items whose partition keys are like one of these; on all where there are none. */
export interface Permit {
  readonly actions: readonly string[];
  readonly keys?: readonly string[];
  readonly index?: string;
}

/**
 * A statement for each permit.
 *
 * None of the fenced actions can leave its keys out, so `ForAllValues`, which holds for no keys at all, opens nothing: a
 * Scan, which has none, is never fenced.
 */
export function statementsOf(permits: readonly Permit[], tableArn: string): PolicyStatement[] {
  return permits.map(
    ({ actions, keys, index }) =>
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [index === undefined ? tableArn : `${tableArn}/index/${index}`],
        ...(keys === undefined ? {} : { conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys] } } }),
      }),
  );
}
