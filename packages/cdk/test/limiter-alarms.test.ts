import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LimiterAlarms, type LimiterAlarmsOptions, LimiterTable, UsageAggregator } from '@millrace/cdk';
import { pricesOf } from '@millrace/cost';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { alarmsIn } from './alarms-stack.js';
import { mistakesOf, templateOf } from './synth.js';

const ALARM = 'AWS::CloudWatch::Alarm';

/** What of an alarm is looked at. */
interface AlarmProperties {
  readonly AlarmDescription: string;
  readonly AlarmActions: readonly unknown[];
  readonly OKActions?: readonly unknown[];
  readonly Threshold: number;
  readonly EvaluationPeriods: number;
  readonly Metrics?: readonly { readonly Expression?: string }[];
}

const alarmsWith = (options?: LimiterAlarmsOptions): Template => templateOf((stack) => alarmsIn(stack, options));
const mistakesWith = (options: LimiterAlarmsOptions): string[] => mistakesOf((stack) => alarmsIn(stack, options));

/** The alarms of a template, by their names. */
function alarmsOf(template: Template): Map<string, AlarmProperties> {
  const found = Object.entries(template.findResources(ALARM));
  return new Map(found.map(([id, { Properties }]) => [id.replace(/^Alarms(.*)[0-9A-F]{8}$/, '$1'), Properties as AlarmProperties]));
}

const NAMES = [
  'FailureDestination',
  'AggregatorErrors',
  'AggregatorDuration',
  'IteratorAge',
  'PeriodsNotSealed',
  'SealingCutShort',
  'BooksNotChecked',
  'ReadThrottles',
  'WriteThrottles',
  'KeyRangeThrottles',
  'RejectedShare',
  'Unavailable',
  'LedgerGaps',
  'DailyCost',
];

describe('the alarms of a limiter without props', () => {
  let template: Template;
  let alarms: Map<string, AlarmProperties>;
  beforeAll(() => {
    template = alarmsWith();
    alarms = alarmsOf(template);
  });

  it('are all there, tell a topic when they begin and when they are over, and are silent without data', () => {
    expect([...alarms.keys()].sort()).toEqual([...NAMES].sort());
    for (const alarm of alarms.values()) {
      expect(alarm).toMatchObject({ TreatMissingData: 'notBreaching', ComparisonOperator: 'GreaterThanOrEqualToThreshold' });
      expect(alarm.AlarmActions).toEqual([{ Ref: expect.stringMatching(/^AlarmsTopic/) }]);
      expect(alarm.OKActions).toEqual(alarm.AlarmActions);
    }
  });

  it('say what they mean and what to do, and where the runbook has more: each has its heading there', () => {
    const runbook = readFileSync(join(__dirname, '../../../docs/operations.md'), 'utf8');
    const headings = [...runbook.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
    for (const { AlarmDescription: text } of alarms.values()) {
      const [, heading = ''] = /^([^.]*)\. /.exec(text) ?? [];
      expect(headings).toContain(heading);
      expect(text.endsWith(` Runbook: docs/operations.md of Millrace's repository, under "${heading}".`)).toBe(true);
      expect(text.length).toBeGreaterThan(120);
      expect(text.length).toBeLessThanOrEqual(1_024);
    }
  });

  it('go off at what their docs say, after so many periods', () => {
    const report = readFileSync(join(__dirname, '../API.md'), 'utf8');
    const said = NAMES.map((name) => {
      const prop = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
      const [, threshold, unit, periods] =
        new RegExp(`\\b${prop}\\?: AlarmSettings.*Default: (\\d+) (\\w+), (\\d+) period`).exec(report) ?? [];
      return [name, Number(threshold), unit, Number(periods)];
    });
    const done = NAMES.map((name) => {
      const { Threshold: threshold = 0, EvaluationPeriods: periods } = alarms.get(name) ?? {};
      const perUnit = { AggregatorDuration: 300, IteratorAge: 1_000, SealingCutShort: 0.01 }[name] ?? 1;
      return [name, threshold / perUnit, expect.any(String), periods];
    });
    expect(said).toEqual(done);
  });

  it('watch the failure queue, the errors, the longest run and the lag of the aggregator', () => {
    template.hasResourceProperties(ALARM, {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Namespace: 'AWS/SQS',
      Statistic: 'Maximum',
      Threshold: 1,
      Period: 60,
      EvaluationPeriods: 1,
    });
    template.hasResourceProperties(ALARM, { MetricName: 'Errors', Namespace: 'AWS/Lambda', Statistic: 'Sum', Threshold: 1, Period: 300 });
    template.hasResourceProperties(ALARM, { MetricName: 'Duration', Statistic: 'Maximum', Threshold: 24_000, EvaluationPeriods: 3 });
    template.hasResourceProperties(ALARM, { MetricName: 'IteratorAge', Statistic: 'Maximum', Threshold: 60_000, EvaluationPeriods: 5 });
  });

  it('watch sealing by the day, so that it does not matter how often it is sealed', () => {
    const byDay = { Namespace: 'Millrace', Period: 86_400, EvaluationPeriods: 3 };
    template.hasResourceProperties(ALARM, { ...byDay, MetricName: 'PeriodsNotSealed', Statistic: 'Sum', Threshold: 1 });
    template.hasResourceProperties(ALARM, { ...byDay, MetricName: 'SealingCutShort', Statistic: 'Average', Threshold: 0.9 });
    template.hasResourceProperties(ALARM, { ...byDay, MetricName: 'BooksNotChecked', Statistic: 'Sum', Threshold: 1 });
  });

  it.each([
    ['ReadThrottles', 'Read'],
    ['WriteThrottles', 'Write'],
  ])('tell %s for want of capacity from those of a hot key, on the table and its index', (name, kind) => {
    const metrics = JSON.stringify(alarms.get(name)?.Metrics);
    for (const metric of [`${kind}ThrottleEvents`, `${kind}KeyRangeThroughputThrottleEvents`]) {
      expect(metrics.split(`"${metric}"`)).toHaveLength(3);
    }
    expect(metrics.split('"GlobalSecondaryIndexName"')).toHaveLength(3);
    expect(alarms.get(name)).toMatchObject({ Threshold: 10, EvaluationPeriods: 2 });
  });

  it('watch hot key ranges, of reads and writes', () => {
    const metrics = JSON.stringify(alarms.get('KeyRangeThrottles')?.Metrics);
    expect(metrics).toContain('ReadKeyRangeThroughputThrottleEvents');
    expect(metrics).toContain('WriteKeyRangeThroughputThrottleEvents');
    expect(alarms.get('KeyRangeThrottles')).toMatchObject({ Threshold: 100, EvaluationPeriods: 3 });
  });

  it('watch what services and verifications report of this table', () => {
    const dimension = { Namespace: 'Millrace', Dimensions: [{ Name: 'Table' }] };
    const metricsOf = (name: string) =>
      alarms.get(name)?.Metrics?.flatMap((metric) => ('MetricStat' in metric ? [(metric.MetricStat as { Metric: object }).Metric] : []));
    expect(metricsOf('RejectedShare')).toMatchObject([
      { ...dimension, MetricName: 'Admitted' },
      { ...dimension, MetricName: 'Rejected' },
    ]);
    expect(metricsOf('Unavailable')).toMatchObject([{ MetricName: 'Degraded' }, { MetricName: 'Unavailable' }]);
    template.hasResourceProperties(ALARM, {
      ...dimension,
      Dimensions: Match.anyValue(),
      MetricName: 'LedgerGaps',
      Threshold: 1,
      Period: 86_400,
    });
  });

  it('compare what a day of units costs with 20 dollars, by the prices that the estimator has', () => {
    const cost = alarms.get('DailyCost');
    const { usdPerMillionReadUnits, usdPerMillionWriteUnits } = pricesOf('us-east-1');
    expect(cost).toMatchObject({ Threshold: 20, EvaluationPeriods: 1 });
    const expression = cost?.Metrics?.find(({ Expression }) => Expression !== undefined)?.Expression ?? '';
    const factors = [...expression.matchAll(/\* (0\.\d+)/g)].map(([, factor]) => Number(factor) * 1_000_000);
    expect(factors).toEqual([expect.closeTo(usdPerMillionReadUnits, 9), expect.closeTo(usdPerMillionWriteUnits, 9)]);
    expect(JSON.stringify(cost?.Metrics)).toContain('"Period":86400');
  });
});

describe('the props of alarms', () => {
  it('turn each one off', () => {
    const off = { enabled: false };
    for (const name of NAMES) {
      const prop = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
      expect([...alarmsOf(alarmsWith({ [prop]: off })).keys()].sort()).toEqual(NAMES.filter((other) => other !== name).sort());
    }
  });

  it('set thresholds, each in its unit, and periods', () => {
    const alarms = alarmsOf(
      alarmsWith({
        aggregatorDuration: { threshold: 50 },
        iteratorAge: { threshold: 30, evaluationPeriods: 2 },
        rejectedShare: { threshold: 12.5 },
        dailyCost: { threshold: 3 },
      }),
    );
    expect(alarms.get('AggregatorDuration')?.Threshold).toBe(15_000);
    expect(alarms.get('IteratorAge')).toMatchObject({ Threshold: 30_000, EvaluationPeriods: 2 });
    expect(alarms.get('RejectedShare')?.Threshold).toBe(12.5);
    expect(alarms.get('DailyCost')?.Threshold).toBe(3);
  });

  it('name another namespace, runbook and prices, and keep quiet when an alarm is over', () => {
    const template = alarmsWith({
      metricsNamespace: 'Ours',
      runbookUrl: 'https://wiki/limits',
      prices: { usdPerMillionReadUnits: 2, usdPerMillionWriteUnits: 10 },
      notifyWhenOver: false,
    });
    const alarms = alarmsOf(template);
    template.hasResourceProperties(ALARM, { Namespace: 'Ours', MetricName: 'LedgerGaps', OKActions: Match.absent() });
    expect(alarms.get('LedgerGaps')?.AlarmDescription).toMatch(/ Runbook: https:\/\/wiki\/limits#ledger-gaps$/);
    expect(JSON.stringify(alarms.get('DailyCost')?.Metrics)).toContain('* 0.000002 + ');
  });

  it('take the prices of the region, where they are known, else those of us-east-1', () => {
    const expressionIn = (region: string): unknown => {
      const stack = new Stack(new App(), 'Stack', { env: { account: '123456789012', region } });
      alarmsIn(stack);
      return alarmsOf(Template.fromStack(stack))
        .get('DailyCost')
        ?.Metrics?.find(({ Expression }) => Expression !== undefined)?.Expression;
    };
    expect(expressionIn('us-west-2')).toContain('0.000000625');
    expect(expressionIn('eu-central-1')).toEqual(expressionIn('us-east-1'));
  });

  it('leave out what is about an aggregator where there is none', () => {
    const template = templateOf((stack) => new LimiterAlarms(stack, 'Alarms', { table: new LimiterTable(stack, 'Table').table }));
    expect([...alarmsOf(template).keys()].sort()).toEqual(NAMES.slice(7).sort());
  });

  it('leave out what is about sealing where nothing is sealed', () => {
    const template = templateOf((stack) => {
      const { table } = new LimiterTable(stack, 'Table');
      new LimiterAlarms(stack, 'Alarms', { table, aggregator: new UsageAggregator(stack, 'Usage', { table, sealing: false }) });
    });
    const others = NAMES.filter((name) => !/Seal|Books/.test(name));
    expect([...alarmsOf(template).keys()].sort()).toEqual(others.sort());
  });

  it('leave out what is about checks where nothing is checked, but for gaps: others may report those', () => {
    const template = templateOf((stack) => {
      const { table } = new LimiterTable(stack, 'Table');
      new LimiterAlarms(stack, 'Alarms', {
        table,
        aggregator: new UsageAggregator(stack, 'Usage', { table, seals: { checkLedger: false } }),
      });
    });
    expect([...alarmsOf(template).keys()].sort()).toEqual(NAMES.filter((name) => name !== 'BooksNotChecked').sort());
  });

  it('are told at once where several are wrong', () => {
    const mistakes = mistakesWith({
      rejectedShare: { threshold: 101 },
      iteratorAge: { threshold: 0, evaluationPeriods: 1.5 },
      dailyCost: { evaluationPeriods: 8 },
      sealingCutShort: { threshold: 100.5, evaluationPeriods: 8 },
      monthlyBudget: { usd: -1 },
      runbookUrl: 'docs/operations.md',
    });
    expect(mistakes).toHaveLength(8);
    expect(mistakes.join('\n')).toMatch(/rejectedShare.threshold must be a number above 0 and at most 100, got: 101/);
    expect(mistakes.join('\n')).toMatch(/monthlyBudget.usd must be a number of dollars above 0, got: -1/);
    expect(mistakes.join('\n')).toMatch(/runbookUrl must be an address that begins with https.*got: 'docs\/operations.md'/);
    expect(mistakesWith({ monthlyBudget: { usd: 5, tagValue: 'a' } })).toEqual([
      expect.stringMatching(/^monthlyBudget.tagKey must be set/),
    ]);
    expect(mistakesWith({ monthlyBudget: { usd: 5, tagKey: 'a' } })).toEqual([
      expect.stringMatching(/^monthlyBudget.tagValue must be set/),
    ]);
  });
});
