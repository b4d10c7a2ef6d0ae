import { DEFAULT_REGION, PRICES } from '@millrace/cost';
import { Stack, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { type OptionNames, type PropChecks, shown } from '../prop-checks.js';

/** What DynamoDB asks for what it counts, on demand. */
export interface UnitPrices {
  /** Dollars for a million read request units. */
  readonly usdPerMillionReadUnits: number;
  /** Dollars for a million write request units. */
  readonly usdPerMillionWriteUnits: number;
}

const PRICE_OPTIONS: OptionNames<UnitPrices> = { usdPerMillionReadUnits: true, usdPerMillionWriteUnits: true };

/** The given prices where they are right, else those that `regionalPrices` gives. */
export function pricesFor(scope: IConstruct, checks: PropChecks, given: UnitPrices | undefined): UnitPrices {
  const prices = checks.options('prices', given, PRICE_OPTIONS);
  if (prices === undefined) return regionalPrices(scope);
  const wrong = (Object.keys(PRICE_OPTIONS) as (keyof UnitPrices)[]).filter((name) => !isPrice(prices[name]));
  for (const name of wrong) {
    checks.refuse(`prices.${name} must be a number of dollars, 0 or more, that is known at synth, got: ${shown(prices[name])}`);
  }
  return wrong.length === 0 ? prices : regionalPrices(scope);
}

/** A token is a number below zero. */
function isPrice(price: unknown): boolean {
  return typeof price === 'number' && price >= 0 && price < Number.POSITIVE_INFINITY;
}

/** The prices of the region that a construct is in, where they are known, else those of us-east-1. */
function regionalPrices(scope: IConstruct): UnitPrices {
  const { region } = Stack.of(scope);
  const prices = (Token.isUnresolved(region) ? undefined : PRICES.get(region)) ?? PRICES.get(DEFAULT_REGION);
  const { usdPerMillionReadUnits, usdPerMillionWriteUnits } = prices as UnitPrices;
  return { usdPerMillionReadUnits, usdPerMillionWriteUnits };
}
