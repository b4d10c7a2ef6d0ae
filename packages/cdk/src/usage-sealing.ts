import { LEAST_RETENTION, leastSealedRetention } from '@millrace/ledger';
import { Duration, Token } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type OptionNames, type PropChecks, shown } from './prop-checks.js';
import type { UsageAggregatorProps } from './usage-aggregator-props.js';
import type { UsageSealOptions } from './usage-seal-options.js';
import { UsageWindowType } from './usage-windows.js';

const HOUR = Duration.hours(1);
/** A round that Lambda does not take on at once is offered to it again so often, within an hour. */
const MAX_OFFERS = 10;
/** What bills are made of; each further type costs as much again. */
const BY_DEFAULT: readonly UsageWindowType[] = [UsageWindowType.DAY, UsageWindowType.MONTH];
const ALL = Object.values(UsageWindowType);
const MAX_DELAY_HOURS = 168;

const SEAL_OPTIONS: OptionNames<UsageSealOptions> = { windowTypes: true, delay: true, schedule: true, checkLedger: true };

/** The types of windows that are sealed; none where nothing is. */
export function sealedTypes({ sealing = true, seals, windowTypes }: UsageAggregatorProps): readonly UsageWindowType[] {
  if (!sealing) return [];
  // What is no list is told as wrong elsewhere, once.
  return Array.isArray(seals?.windowTypes) ? seals.windowTypes : BY_DEFAULT.filter((type) => isKept(type, windowTypes));
}

/** Whether the ledger is checked: of days, once they are sealed. */
export function checksLedger(props: UsageAggregatorProps): boolean {
  return props.seals?.checkLedger !== false && sealedTypes(props).includes(UsageWindowType.DAY);
}

/** What the function is told of sealing, in the variables that it reads. */
export function sealingVariables(props: UsageAggregatorProps, checks: PropChecks): Record<string, string | undefined> {
  const { sealing = true, windowTypes } = props;
  const seals = checks.options('seals', props.seals, SEAL_OPTIONS);
  checks.notBoth('seals', seals !== undefined, 'sealing: false', !sealing, 'they are what it leaves out');
  if (seals?.windowTypes !== undefined && !Array.isArray(seals.windowTypes)) {
    checks.refuse(`seals.windowTypes must be a list of some of ${ALL.join(', ')}, got: ${shown(seals.windowTypes)}`);
  }
  const types = sealedTypes(props);
  const strange = types.filter((type) => !isKept(type, windowTypes));
  if (strange.length > 0)
    checks.refuse(`seals.windowTypes must be some of windowTypes (${(windowTypes ?? ALL).join(', ')}), got: ${strange.join(', ')}`);
  if (sealing && seals !== undefined && types.length === 0) checks.refuse('seals.windowTypes must hold at least one type, got: none');
  const delay = checks.hours('seals.delay', seals?.delay, 0, MAX_DELAY_HOURS);
  if (seals?.checkLedger === true && types.length > 0 && !types.includes(UsageWindowType.DAY)) {
    checks.refuse(`seals.checkLedger must be left out where no days are sealed, got: true, with ${types.join(', ')}`);
  }
  if (types.length === 0) return {};
  return {
    MILLRACE_SEAL_TYPES: [...new Set(types)].join(','),
    MILLRACE_SEAL_LATE_HOURS: delay?.toHours().toString(),
    MILLRACE_CHECK_LEDGER: seals?.checkLedger === false ? 'false' : undefined,
  };
}

/** The fewest days for which a window must be kept: one that has expired when it is sealed would be sealed as one that nobody used. */
export function leastKeptDays(props: UsageAggregatorProps, type: UsageWindowType): number {
  const delay = props.seals?.delay;
  // What is no length of time within bounds is told as wrong elsewhere.
  if (!sealedTypes(props).includes(type) || !(delay instanceof Duration) || delay.isUnresolved()) return LEAST_RETENTION[type];
  return leastSealedRetention(type, Math.min(delay.toMilliseconds(), MAX_DELAY_HOURS * HOUR.toMilliseconds()));
}

/** Invokes the function by a schedule. A round that never began is not made up for: the next one does all that it would have. */
export function sealingRule(scope: Construct, handler: IFunction, schedule: Schedule = Schedule.rate(HOUR)): Rule {
  const rule = new Rule(scope, 'Sealing', { description: 'Has the usage of windows that are over sealed', schedule });
  rule.addTarget(new LambdaFunction(handler, { retryAttempts: MAX_OFFERS, maxEventAge: HOUR }));
  return rule;
}

function isKept(type: UsageWindowType, kept: readonly UsageWindowType[] | undefined): boolean {
  return Token.isUnresolved(kept) || (kept ?? ALL).includes(type);
}
