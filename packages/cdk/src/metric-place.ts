import { Arn, ArnFormat, Stack, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Where a metric is. What is left out is where it is shown. */
export interface MetricPlace {
  readonly region?: string;
  readonly account?: string;
}

/**
 * The region and the account that metrics are in, as far as they are known: those of the ARN, else those of the stack. A dashboard of
 * another region would else look for them there, and show an empty graph.
 */
export function metricPlace(scope: IConstruct, arn?: string): MetricPlace {
  const isKnown = arn !== undefined && !Token.isUnresolved(arn);
  const { region, account } = isKnown ? Arn.split(arn, ArnFormat.SLASH_RESOURCE_NAME) : Stack.of(scope);
  return { region: known(region), account: known(account) };
}

function known(text: string | undefined): string | undefined {
  return Token.isUnresolved(text) ? undefined : text;
}
