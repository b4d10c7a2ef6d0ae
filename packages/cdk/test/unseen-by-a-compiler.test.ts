import {
  AccessPolicies,
  AccessRoles,
  AuditArchive,
  LimiterAlarms,
  LimiterDashboard,
  LimitRate,
  LimitsManifest,
  LoadRig,
  RateLimiter,
  TableBilling,
  UsageAggregator,
} from '@millrace/cdk';
import { Duration, type Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { mistakesOf, newStack } from './synth.js';

/** What plain JavaScript passes: of any type. */
// biome-ignore lint/suspicious/noExplicitAny: that is the point.
type Anything = any;
const told = (props: Anything): string[] => mistakesOf((stack) => new RateLimiter(stack, 'Limiter', props));
const toldOfManifest = (props: Anything): string[] =>
  mistakesOf((stack) => {
    const limiter = RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableName: 'limits' });
    new LimitsManifest(stack, 'Manifest', { limiter, ...props });
  });

describe('options of names that nobody reads', () => {
  it.each<[Anything, RegExp]>([
    [{ aggregator: { memory: 512 } }, /^aggregator must have none but functionName, memorySize, .*, got: memory$/],
    [{ aggregator: { seals: { types: [] } } }, /^seals must have none but windowTypes, delay, schedule, checkLedger, got: types$/],
    [{ aggregator: { usageRetention: { hours: Duration.days(3) } } }, /^usageRetention must have none but hour, day, .*, got: hours$/],
    [{ alarms: { dailyCosts: { threshold: 5 } } }, /^alarms must have none but topic, .*, dailyCost, monthlyBudget, got: dailyCosts$/],
    [{ alarms: { dailyCost: { above: 5 } } }, /^dailyCost must have none but enabled, threshold, evaluationPeriods, got: above$/],
    [{ alarms: { monthlyBudget: { usd: 5, tag: 'a' } } }, /^monthlyBudget must have none but usd, tagKey, tagValue, got: tag$/],
    [{ dashboard: { name: 'limits' } }, /^dashboard must have none but dashboardName, .*, got: name$/],
    [
      { billing: TableBilling.onDemand({ maxReads: 5 } as Anything) },
      /^billing must have none but maxReadRequestUnits, .*, got: maxReads$/,
    ],
  ])('are told: %j', (props, message) => {
    expect(told(props)).toEqual([expect.stringMatching(message)]);
  });

  it('are told of limits, of which they would be left out', () => {
    expect(toldOfManifest({ system: [LimitRate.perMinute('rpm', 60, { burst: 90 } as Anything)] })).toEqual([
      expect.stringMatching(/^system\.limits\[0\].*burst/),
    ]);
    expect(toldOfManifest({ entities: [{ entity: 'a', limits: [LimitRate.parse('rpm:5/min')], resource: [] }] })).toEqual([
      'entities[0]: must have none but entity, limits, resources, got resource',
    ]);
  });
});

describe('values of another type', () => {
  it.each<[Anything, string]>([
    [{ aggregator: 512 }, 'aggregator must be an object with some of '],
    [{ aggregator: { timeout: 60 } }, 'timeout must be a Duration of whole seconds from 6 to 900, got: 60'],
    [{ aggregator: { memorySize: '512' } }, "memorySize must be a whole number from 128 to 3008, got: '512'"],
    [{ aggregator: { functionName: 5 } }, 'functionName must be 1 to 64 letters, digits, - or _, got: 5'],
    [{ aggregator: { windowTypes: 'hour' } }, "windowTypes must be a list of at least one of hour, day, week, month, got: 'hour'"],
    [{ aggregator: { windowTypes: ['minute'] } }, 'windowTypes must be a list of at least one of hour, day, week, month, got: ["minute"]'],
    [{ aggregator: { seals: { windowTypes: 'day' } } }, "seals.windowTypes must be a list of some of hour, day, week, month, got: 'day'"],
    [
      { aggregator: { seals: { windowTypes: ['minute'] } } },
      'seals.windowTypes must be some of windowTypes (hour, day, week, month), got: minute',
    ],
    [{ alarms: { dailyCost: 5 } }, 'dailyCost must be an object with some of enabled, threshold, evaluationPeriods, got: 5'],
    [{ alarms: { dailyCost: false } }, 'dailyCost must be an object with some of enabled, threshold, evaluationPeriods, got: false'],
    [{ alarms: { dailyCost: { threshold: '5' } } }, "dailyCost.threshold must be a number above 0 and at most 9007199254740991, got: '5'"],
    [{ alarms: { monthlyBudget: { usd: '5' } } }, "monthlyBudget.usd must be a number of dollars above 0, got: '5'"],
    [
      { billing: 'PROVISIONED' },
      "billing must be what TableBilling.onDemand or TableBilling.provisioned gives for its options, got: 'PROVISIONED'",
    ],
    [{ dashboard: { defaultInterval: 3 } }, 'defaultInterval must be a Duration of whole seconds from 60 to 39312000, got: 3'],
    [{ tags: { team: 5 } }, "tag 'team' must be a text, got: 5"],
  ])('are told: %j', (props, message) => {
    expect(told(props)).toEqual([expect.stringContaining(message)]);
  });

  it('are told of a table that would have no bound of its own', () => {
    expect(told({ billing: (TableBilling.provisioned as Anything)() })).toEqual([expect.stringMatching(/^billing must be what/)]);
    expect(told({ billing: TableBilling.provisioned({ maxReadCapacity: 5 } as Anything) })).toEqual([
      'billing: maxWriteCapacity must be set: provisioned capacity has no bound by itself',
    ]);
  });

  it.each<[Anything, string]>([
    [{ system: ['rpm:60/min'] }, "system.limits[0]: must be made by LimitRate (LimitRate.parse('rpm:60/min'), say), got 'rpm:60/min'"],
    [{ system: LimitRate.parse('rpm:60/min') }, 'system.limits: must be a list, got {}'],
    [{ resources: { 'gpt-4': [] } }, 'resources: must be a list, got {"gpt-4":[]}'],
    [{ resources: ['gpt-4'] }, "resources[0]: must have none but resource, limits, got 'gpt-4'"],
    [{ source: 'limits.yaml' }, "source must be made by ManifestSource.fromFile or ManifestSource.fromYaml, got: 'limits.yaml'"],
  ])('are told of limits: %j', (props, message) => {
    expect(toldOfManifest(props)).toEqual([message]);
  });

  it('are told of the period of a limit, which is no number of seconds', () => {
    const period = 60 as Anything;
    expect(toldOfManifest({ system: [LimitRate.of({ name: 'rpm', tokens: 5, period })] })).toEqual([
      expect.stringMatching(/^system\.limits\[0\].*"60, which is no Duration"/),
    ]);
  });
});

describe('values that would do harm', () => {
  it.each(['*', 'a*/', 'a?', '$' + '{aws:username}/', '', 'x'.repeat(257), './audit/', 'a/../b/'])(
    'no prefix of audit events opens more, or none: "%s"',
    (auditPrefix) => {
      const mistakes = mistakesOf((stack) => {
        new RateLimiter(stack, 'Limiter', { aggregator: { auditArchive: new AuditArchive(stack, 'Archive'), auditPrefix } });
      });
      expect(mistakes).toEqual([expect.stringMatching(/^auditPrefix must be 1 to 256 letters, digits or any of .*, got: '/)]);
    },
  );

  it.each(['AWS/Limits', 'a"b', ''])('no namespace of metrics is one that takes none: "%s"', (metricsNamespace) => {
    const wrong = { metricsNamespace };
    expect(told({ aggregator: wrong, alarms: wrong, dashboard: wrong })).toEqual(
      Array(3).fill(expect.stringMatching(/^metricsNamespace must be 1 to 255 letters.* and not begin with AWS\/, got: '/)),
    );
  });

  it('no price is less than nothing, or none', () => {
    const prices = { usdPerMillionReadUnits: -1, usdPerMillionWriteUnits: Number.NaN };
    const mistakes = [
      'prices.usdPerMillionReadUnits must be a number of dollars, 0 or more, that is known at synth, got: -1',
      'prices.usdPerMillionWriteUnits must be a number of dollars, 0 or more, that is known at synth, got: NaN',
    ];
    expect(told({ alarms: { prices }, dashboard: { prices } })).toEqual([...mistakes, ...mistakes]);
    expect(told({ alarms: { prices: { usdPerMillionReadUnits: 1 } } })).toEqual([expect.stringMatching(/WriteUnits .*, got: undefined$/)]);
  });
});

describe('what a construct is about', () => {
  it.each<[string, new (scope: Stack, id: string, props: Anything) => unknown, Anything, RegExp]>([
    ['a manifest', LimitsManifest, { resources: [] }, /^Stack\/It: limiter must be a RateLimiter, or .*, got: undefined$/],
    ['policies', AccessPolicies, undefined, /^Stack\/It: limiter must be .*, got: undefined$/],
    ['roles', AccessRoles, { limiter: 'limits' }, /^Stack\/It: limiter must be .*, got: 'limits'$/],
    ['a rig', LoadRig, {}, /^Stack\/It: limiter must be .*, got: undefined$/],
    ['an aggregator', UsageAggregator, {}, /^Stack\/It: table must be the table of a limiter .*, got: undefined$/],
    ['alarms', LimiterAlarms, undefined, /^Stack\/It: table must be .*, got: undefined$/],
    ['a dashboard', LimiterDashboard, { table: null }, /^Stack\/It: table must be .*, got: null$/],
  ])('must be given to %s', (_, Construct, props, message) => {
    expect(() => new Construct(newStack(), 'It', props)).toThrow(message);
  });

  it('is the role that somebody takes on, and the folder of a rig', () => {
    const stack = newStack();
    const limiter = RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableName: 'limits' });

    expect(() => new AccessRoles(stack, 'Roles', { limiter } as Anything)).toThrow('Stack/Roles: assumedBy must be a principal');
    expect(() => new LoadRig(stack, 'Rig', { limiter } as Anything)).toThrow(
      'Stack/Rig: workerAssets must be the folder that `pnpm load assets` wrote, got: undefined',
    );
  });
});
