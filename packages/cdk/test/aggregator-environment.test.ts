import { environmentOf } from '@millrace/aggregator-lambda';
import { AuditArchive, LimiterTable, UsageAggregator, type UsageAggregatorOptions, UsageWindowType } from '@millrace/cdk';
import { WINDOW_TYPES } from '@millrace/core';
import { DEFAULT_RETENTION } from '@millrace/ledger';
import { Duration, type Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { describe, expect, it } from 'vitest';
import { mistakesOf, onlyOne, templateOf } from './synth.js';

type OptionsIn = (stack: Stack) => UsageAggregatorOptions;

const build = (optionsIn: OptionsIn) => (stack: Stack) =>
  new UsageAggregator(stack, 'Usage', { ...optionsIn(stack), table: new LimiterTable(stack, 'Table').table });

/** What the function reads of the environment that it is given; what is only known at deployment is its logical id. */
function readBack(optionsIn: OptionsIn = () => ({})) {
  const { Environment: environment } = onlyOne(templateOf(build(optionsIn)), 'AWS::Lambda::Function') as {
    Environment: { Variables: Record<string, string | { Ref: string }> };
  };
  const variables = Object.entries(environment.Variables).map(([name, value]) => [name, typeof value === 'string' ? value : value.Ref]);
  return environmentOf({ ...Object.fromEntries(variables), AWS_REGION: 'eu-central-1' });
}

describe('what the function is told', () => {
  it('is little without props: the rest it knows', () => {
    const { table, ...others } = readBack(() => ({ sealing: false }));

    expect(table).toMatch(/^Table/);
    const byItself = environmentOf({ MILLRACE_TABLE: 'any', AWS_REGION: 'eu-central-1' });
    expect(others).toEqual({ ...others, ...byItself, table: undefined });
  });

  it('is read by it as it was meant', () => {
    const told = readBack((stack) => ({
      windowTypes: [UsageWindowType.DAY, UsageWindowType.MONTH, UsageWindowType.DAY],
      usageRetention: { day: Duration.days(30), month: Duration.days(3_650) },
      applyConcurrency: 20,
      thresholdPercent: 80,
      thresholdEventBus: EventBus.fromEventBusName(stack, 'Bus', 'ours'),
      auditArchive: new AuditArchive(stack, 'Archive', { bucketName: 'who-did-what' }),
      auditPrefix: 'limits/',
      metricsNamespace: 'Ours',
    }));

    expect(told).toMatchObject({
      options: { applyConcurrency: 20, windowTypes: ['day', 'month'], archivePrefix: 'limits/' },
      retention: { ...DEFAULT_RETENTION, day: 30, month: 3_650 },
      thresholdRatio: 0.8,
      eventBus: 'ours',
      metricsNamespace: 'Ours',
    });
    expect(told.auditBucket).toMatch(/^Archive/);
  });

  it('is to seal days and months without props, a day after they are over, as far as they are kept', () => {
    expect(readBack().seals).toEqual({ types: ['day', 'month'], lateMs: 86_400_000, checksLedger: true });
    expect(readBack(() => ({ windowTypes: [UsageWindowType.HOUR, UsageWindowType.MONTH] })).seals?.types).toEqual(['month']);
    expect(readBack(() => ({ windowTypes: [UsageWindowType.HOUR] })).seals).toBeUndefined();
  });

  it('is to seal what is said, when it is said', () => {
    const seals = { windowTypes: [UsageWindowType.HOUR, UsageWindowType.DAY], delay: Duration.hours(48) };

    expect(readBack(() => ({ seals })).seals).toEqual({ types: ['hour', 'day'], lateMs: 48 * 3_600_000, checksLedger: true });
    expect(readBack(() => ({ seals: { delay: Duration.hours(0) } })).seals).toMatchObject({ types: ['day', 'month'], lateMs: 0 });
  });

  it('is to check the ledger where days are sealed, unless that is turned off; where they are not it cannot be asked for', () => {
    const { MONTH } = UsageWindowType;

    expect(readBack(() => ({ seals: { checkLedger: true } })).seals?.checksLedger).toBe(true);
    expect(readBack(() => ({ seals: { checkLedger: false } })).seals?.checksLedger).toBe(false);
    expect(readBack(() => ({ seals: { windowTypes: [MONTH], checkLedger: false } })).seals?.checksLedger).toBe(false);
    expect(readBack(() => ({ seals: { windowTypes: [MONTH] } })).seals?.checksLedger).toBe(false);
    expect(mistakesOf(build(() => ({ seals: { windowTypes: [MONTH], checkLedger: true } })))).toEqual([
      'seals.checkLedger must be left out where no days are sealed, got: true, with month',
    ]);
  });

  it('is nothing of seals that are none', () => {
    expect(mistakesOf(build(() => ({ sealing: false, seals: {} })))).toEqual([
      'seals and sealing: false must not both be set: they are what it leaves out',
    ]);
    const none = 'seals.windowTypes must hold at least one type, got: none';
    expect(mistakesOf(build(() => ({ seals: { windowTypes: [] } })))).toEqual([none]);
    expect(mistakesOf(build(() => ({ windowTypes: [UsageWindowType.HOUR], seals: { delay: Duration.hours(1) } })))).toEqual([none]);
    const seals = { windowTypes: [UsageWindowType.WEEK, UsageWindowType.DAY], delay: Duration.minutes(90) };
    expect(mistakesOf(build(() => ({ windowTypes: [UsageWindowType.DAY], seals })))).toEqual([
      'seals.windowTypes must be some of windowTypes (day), got: week',
      'seals.delay must be whole hours from 0 to 168, got: 1.5 hours',
    ]);
  });

  it('is to keep what it seals until then', () => {
    const props = (days: number) => () => ({
      seals: { windowTypes: [UsageWindowType.DAY], delay: Duration.hours(73) },
      usageRetention: { hour: Duration.days(3), day: Duration.days(days) },
    });

    expect(readBack(props(6)).retention).toMatchObject({ hour: 3, day: 6 });
    expect(mistakesOf(build(props(5)))).toEqual([
      'usageRetention: day must be 6 days or more, so that it is there when it is sealed (seals.delay), got: 5 days',
    ]);
  });

  it('has a word for each type of window', () => {
    expect(Object.values(UsageWindowType)).toEqual([...WINDOW_TYPES]);
  });

  it('is refused where one prop asks for another', () => {
    const bus = (stack: Stack) => ({ thresholdEventBus: EventBus.fromEventBusName(stack, 'Bus', 'ours'), auditPrefix: 'limits/' });

    expect(mistakesOf(build(bus))).toEqual([
      'thresholdPercent must be set beside thresholdEventBus: it says when an event is due',
      "auditPrefix must be left out where there is no auditArchive, got: 'limits/'",
    ]);
  });
});
