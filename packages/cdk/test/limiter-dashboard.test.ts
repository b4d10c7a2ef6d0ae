import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LimiterDashboard, type LimiterDashboardOptions, LimiterTable, RateLimiter, UsageAggregator } from '@millrace/cdk';
import { AGGREGATOR_METRICS, ENTITY_FIELD, LEDGER_CHECK_METRICS, LEDGER_METRICS, LIMITER_METRICS, SEALING_METRICS } from '@millrace/core';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { beforeAll, describe, expect, it } from 'vitest';
import { chromium, runChromium } from '../preview/chromium.js';
import { dashboardBody, type Widget, widgetsIn } from '../preview/dashboard-body.js';
import { pageHtml, pageSize } from '../preview/page.js';
import { fingerprint, sourceOf } from '../preview/palette-png.js';
import { mistakesOf, onlyOne, templateOf } from './synth.js';

const DASHBOARD = 'AWS::CloudWatch::Dashboard';
const dashboardIn = (stack: Stack, options: LimiterDashboardOptions = {}): LimiterDashboard =>
  new LimiterDashboard(stack, 'Board', { ...options, table: new LimiterTable(stack, 'Table').table });
const bodyWith = (options?: LimiterDashboardOptions): string =>
  JSON.stringify(
    onlyOne(
      templateOf((stack) => dashboardIn(stack, options)),
      DASHBOARD,
    )['DashboardBody'],
  );

/** Names of metrics in a namespace that widgets show, those that are searched for included. */
function metricNames(widgets: readonly Widget[], namespace: string): Set<string> {
  const names = widgets.flatMap(({ properties }) =>
    (properties.metrics ?? []).flatMap((metric) => {
      const [first] = metric;
      if (first === namespace) return [String(metric[1])];
      const { expression = '' } = (typeof first === 'object' ? first : {}) as { expression?: string };
      return expression.includes(`"${namespace}"`) ? [/MetricName="(\w+)"/.exec(expression)?.[1] ?? '?'] : [];
    }),
  );
  return new Set(names);
}

describe('the dashboard of a limiter', () => {
  let widgets: readonly Widget[];
  beforeAll(() => {
    widgets = dashboardBody();
  });

  it('has each widget in the grid, no two in one place, and no hole in a row', () => {
    const cells = new Map<string, string>();
    for (const { x, y, width, height, properties } of widgets) {
      for (let column = x; column < x + width; column += 1) {
        for (let row = y; row < y + height; row += 1) {
          expect(cells.get(`${column},${row}`)).toBeUndefined();
          cells.set(`${column},${row}`, properties.title ?? 'text');
        }
      }
    }
    const columns = new Set([...cells.keys()].map((cell) => Number(cell.split(',')[0])));
    const rows = Math.max(...[...cells.keys()].map((cell) => Number(cell.split(',')[1]))) + 1;
    expect([Math.min(...columns), Math.max(...columns)]).toEqual([0, 23]);
    expect(cells.size).toBe(24 * rows);
  });

  it('shows what is asked first first, and every part there is to look at', () => {
    expect(widgets.flatMap(({ properties: { title } }) => title ?? [])).toEqual([
      'Alarms',
      'Admitted a second',
      'Rejected, percent',
      'Latency, p99',
      'Dollars an hour, for units',
      'Limits found in the cache, percent',
      'Acquires without an answer',
      'Admitted and rejected',
      'Admitted, by resource',
      'Rejected, by resource',
      'Latency of an acquire',
      'Latency by resource, p99',
      'Requests to DynamoDB',
      'Acquires without an answer',
      'Waiting and shadow mode',
      'Limits found in the cache',
      'Clocks against that of DynamoDB',
      'Heaviest entities: acquires',
      'Entities that are refused most',
      'Units consumed',
      'Cost of units, on demand',
      'Throttles by reason',
      'Latency inside DynamoDB',
      'Lag of the ledger',
      'Records and windows',
      'Entities near a limit',
      'Gaps in the ledger, as checks found them',
      'Sealing of windows that are over',
      'Rounds of sealing',
      'Invocations',
      'Errors and throttles',
      'Duration',
      'Records that failed',
    ]);
  });

  it('names no metric that nobody emits, and most of those that are emitted', () => {
    const emitted = new Set(
      [LIMITER_METRICS, AGGREGATOR_METRICS, LEDGER_METRICS, LEDGER_CHECK_METRICS, SEALING_METRICS].flatMap((list) =>
        Object.values(list).map(({ name }) => name),
      ),
    );
    const shown = metricNames(widgets, 'Millrace');
    expect([...shown].filter((name) => !emitted.has(name as never))).toEqual([]);
    expect(shown.size).toBeGreaterThan(20);
  });

  it('tells percentiles of latency, not averages', () => {
    const latency = widgets.find(({ properties: { title } }) => title === 'Latency of an acquire');
    const stats = latency?.properties.metrics?.map((metric) => (metric.at(-1) as { stat: string }).stat);
    expect(stats).toEqual(['p50', 'p95', 'p99']);
  });

  it('tells throttles by their reason, each of table and index', () => {
    const throttles = widgets.find(({ properties: { title } }) => title === 'Throttles by reason');
    expect(metricNames(throttles === undefined ? [] : [throttles], 'AWS/DynamoDB')).toEqual(
      new Set([
        'ReadThrottleEvents',
        'ReadKeyRangeThroughputThrottleEvents',
        'WriteThrottleEvents',
        'WriteKeyRangeThroughputThrottleEvents',
      ]),
    );
  });

  it('draws the timeout into the duration, and has all alarms', () => {
    const duration = widgets.find(({ properties: { title } }) => title === 'Duration');
    expect(duration?.properties.annotations?.horizontal).toMatchObject([{ value: 60_000 }]);
    expect(widgets.find(({ type }) => type === 'alarm')?.properties.alarms).toHaveLength(14);
  });

  it('says what to do, where the alarms say it, too', () => {
    expect(widgets.at(-1)?.properties.markdown).toContain('docs/operations.md');
  });

  const program = chromium();
  it.skipIf(program === undefined)('fits its places in a browser, without anything from elsewhere', () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-dashboard-'));
    const page = join(folder, 'page.html');
    const html = pageHtml(widgets);
    writeFileSync(page, html);
    const { width, height } = pageSize(widgets);
    const seen = (file: string): unknown => {
      const dom = runChromium(program ?? '', file, `--window-size=${width},${height}`, '--dump-dom');
      return JSON.parse((/data-overflowing="([^"]*)"/.exec(dom)?.[1] ?? '?').replaceAll('&quot;', '"'));
    };

    expect(html).not.toMatch(/https?:\/\/|<link|<img|@import/);
    expect(seen(page)).toEqual([]);
    const crowded = join(folder, 'crowded.html');
    const text = { type: 'text', x: 0, y: 0, width: 2, height: 1, properties: { markdown: `# ${'word '.repeat(90)}` } } as const;
    writeFileSync(crowded, pageHtml([text]));
    expect(seen(crowded)).toEqual([expect.stringContaining('word')]);
    rmSync(folder, { recursive: true });
  });
  if (program === undefined) console.warn('skipped: the dashboard is not looked at in a browser, as there is no Chromium on the path');

  it('has a picture in the docs, of its page as it is today', () => {
    const picture = readFileSync(join(__dirname, '../../../docs/dashboard.png'));
    // Else draw it again: docs/operations.md says how.
    expect(sourceOf(picture)).toBe(fingerprint(pageHtml(widgets)));
    const { width, height } = pageSize(widgets);
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([width, height]);
    expect(picture.length).toBeLessThan(300_000);
  });
});

describe('the dashboard and the alarms of a limiter', () => {
  it('look at the same: what goes off can be seen', () => {
    const template = templateOf((stack) => new RateLimiter(stack, 'Limiter', { tableName: 'limits' }));
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')) as { Properties: AlarmProperties }[];
    const watched = alarms.flatMap(({ Properties: { MetricName, Metrics = [] } }) =>
      MetricName === undefined ? Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric.MetricName ?? []) : [MetricName],
    );
    const drawn = widgetsIn(template).flatMap(({ properties: { metrics = [] } }) => metrics.map(([, name]) => name));

    expect(watched.length).toBeGreaterThan(20);
    expect(watched.filter((name) => !drawn.includes(name))).toEqual([]);
  });
});

/** What an alarm in a template looks at. */
interface AlarmProperties {
  readonly MetricName?: string;
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: { readonly MetricName: string } } }[];
}

describe('the props of a dashboard', () => {
  it('are not needed: then it is of a table alone', () => {
    const body = bodyWith();
    expect(body).not.toContain('AWS/Lambda');
    expect(body).not.toContain('"type\\":\\"alarm');
    expect(body).not.toContain('insightRule');
    expect(body).not.toContain('](');
    expect(body).toContain('-PT12H');
  });

  it('name it, and what it looks at', () => {
    const template: Template = templateOf((stack) =>
      dashboardIn(stack, {
        dashboardName: 'limits',
        defaultInterval: Duration.hours(3),
        runbookUrl: 'https://wiki/limits',
        metricsNamespace: 'Ours',
        prices: { usdPerMillionReadUnits: 2, usdPerMillionWriteUnits: 10 },
      }),
    );
    template.hasResourceProperties(DASHBOARD, { DashboardName: 'limits' });
    const body = JSON.stringify(onlyOne(template, DASHBOARD)['DashboardBody']);
    for (const text of ['-PT3H', 'https://wiki/limits', 'Ours', '0.00001']) expect(body).toContain(text);
    expect(body).not.toContain('"Millrace\\"');
    expect(mistakesOf((stack) => dashboardIn(stack, { dashboardName: 'a b' }))).toEqual([expect.stringContaining("got: 'a b'")]);
    expect(mistakesOf((stack) => dashboardIn(stack, { runbookUrl: 'operations.md' }))).toEqual([expect.stringContaining('runbookUrl')]);
  });

  it('name logs in which entities are ranked, by what the reporter writes of them', () => {
    const template = templateOf((stack) =>
      dashboardIn(stack, { callerLogGroups: [new LogGroup(stack, 'Callers', { logGroupName: 'svc' })] }),
    );
    template.resourceCountIs('AWS::CloudWatch::InsightRule', 2);
    for (const field of [ENTITY_FIELD.acquires, ENTITY_FIELD.rejected]) {
      template.hasResourceProperties('AWS::CloudWatch::InsightRule', {
        RuleState: 'ENABLED',
        RuleBody: Match.objectLike({
          'Fn::Join': [
            '',
            Match.arrayWith([
              Match.stringLikeRegexp(`\\$\\.${ENTITY_FIELD.entity}.*\\$\\.${field}.*"Match":"\\$\\.Table"`),
              // Of this table only: other limiters may report into the same logs.
              { Ref: Match.stringLikeRegexp('^Table') },
            ]),
          ],
        }),
      });
    }
  });

  it('say what counts entities near a limit, and draw them where the aggregator does', () => {
    const nearLimit = (thresholdPercent?: number): string => {
      const template = templateOf((stack) => {
        const { table } = new LimiterTable(stack, 'Table');
        new LimiterDashboard(stack, 'Board', { table, aggregator: new UsageAggregator(stack, 'Usage', { table, thresholdPercent }) });
      });
      return JSON.stringify(onlyOne(template, DASHBOARD)['DashboardBody']);
    };
    const { name } = AGGREGATOR_METRICS.nearLimit;

    expect(nearLimit(80)).toContain(name);
    expect(nearLimit(80)).not.toContain('thresholdPercent');
    expect(nearLimit()).not.toContain(name);
    expect(nearLimit()).toMatch(/### Entities near a limit.*thresholdPercent: 80/);
  });

  it('draw what could not be checked of the ledger where the aggregator checks it', () => {
    const body = (checkLedger: boolean): string => {
      const template = templateOf((stack) => {
        const { table } = new LimiterTable(stack, 'Table');
        new LimiterDashboard(stack, 'Board', { table, aggregator: new UsageAggregator(stack, 'Usage', { table, seals: { checkLedger } }) });
      });
      return JSON.stringify(onlyOne(template, DASHBOARD)['DashboardBody']);
    };
    expect(body(true)).toContain(LEDGER_CHECK_METRICS.unchecked.name);
    expect(body(false)).not.toContain(LEDGER_CHECK_METRICS.unchecked.name);
  });

  it('draw what is sealed, and what is not, where the aggregator seals; without that, no row has a hole', () => {
    const widgetsOf = (sealing: boolean): readonly Widget[] => {
      const template = templateOf((stack) => {
        const { table } = new LimiterTable(stack, 'Table', { tableName: 'limits' });
        new LimiterDashboard(stack, 'Board', { table, aggregator: new UsageAggregator(stack, 'Usage', { table, sealing }) });
      });
      return widgetsIn(template);
    };
    const sealing = Object.values(SEALING_METRICS).map(({ name }) => name);
    const shown = (widgets: readonly Widget[]) => [...metricNames(widgets, 'Millrace')].filter((name) => sealing.includes(name as never));

    expect(shown(widgetsOf(true))).toEqual(['PeriodsSealed', 'PeriodsNotSealed', 'SealingCutShort']);
    expect(shown(widgetsOf(false))).toEqual([]);
    for (const widgets of [widgetsOf(true), widgetsOf(false)]) {
      const cells = widgets.reduce((sum, { width, height }) => sum + width * height, 0);
      expect(cells).toBe(24 * Math.max(...widgets.map(({ y, height }) => y + height)));
    }
  });

  it('take the namespace of the aggregator', () => {
    const template = templateOf((stack) => {
      const { table } = new LimiterTable(stack, 'Table');
      const aggregator = new UsageAggregator(stack, 'Usage', { table, metricsNamespace: 'Ours' });
      new LimiterDashboard(stack, 'Board', { table, aggregator });
    });
    const body = JSON.stringify(onlyOne(template, DASHBOARD)['DashboardBody']);
    expect(body).toContain('Ours');
    expect(body).not.toContain('"Millrace\\"');
  });
});
