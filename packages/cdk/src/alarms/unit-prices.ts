import { DEFAULT_REGION, PRICES } from '@millrace/cost';
import { Stack, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** What DynamoDB asks for what it counts, on demand. */
export interface UnitPrices {
  /** Dollars for a million read request units. */
  readonly usdPerMillionReadUnits: number;
  /** Dollars for a million write request units. */
  readonly usdPerMillionWriteUnits: number;
}

/** The prices of the region that a construct is in, where they are known, else those of us-east-1. */
export function regionalPrices(scope: IConstruct): UnitPrices {
  const { region } = Stack.of(scope);
  const prices = (Token.isUnresolved(region) ? undefined : PRICES.get(region)) ?? PRICES.get(DEFAULT_REGION);
  const { usdPerMillionReadUnits, usdPerMillionWriteUnits } = prices as UnitPrices;
  return { usdPerMillionReadUnits, usdPerMillionWriteUnits };
}
