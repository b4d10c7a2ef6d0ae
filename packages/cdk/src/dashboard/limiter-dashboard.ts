import { ENTITY_FIELD, METRICS_NAMESPACE } from '@millrace/core';
import { Duration } from 'aws-cdk-lib';
import { AlarmStatusWidget, Dashboard, type IWidget, TextWidget, TextWidgetBackground } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { WEB_ADDRESS, WEB_ADDRESS_WORDS } from '../alarms/runbook.js';
import { pricesFor } from '../alarms/unit-prices.js';
import { WatchedMetrics } from '../alarms/watched-metrics.js';
import { checkGiven, PropChecks } from '../prop-checks.js';
import { aggregatorWidgets, ledgerWidgets } from './aggregator-widgets.js';
import { CallerWidgets } from './caller-widgets.js';
import { entityRanking } from './entity-ranking.js';
import type { LimiterDashboardProps } from './limiter-dashboard-props.js';
import { introduction, runbookText } from './runbook-text.js';
import { tableWidgets } from './table-widgets.js';
import { COLUMNS, heading, RankingWidget } from './widgets.js';

const RANKING_HEIGHT = 7;
/** CloudWatch keeps metrics for 455 days. */
const MAX_INTERVAL_SEC = 455 * 86_400;

/**
 * One page for the operator: alarms, what callers see, what the table does and costs, how the ledger does, and what to do.
 * From top to bottom it goes from what hurts to why.
 */
export class LimiterDashboard extends Construct {
  /** The dashboard. */
  readonly dashboard: Dashboard;
  private readonly props: LimiterDashboardProps;

  constructor(scope: Construct, id: string, props: LimiterDashboardProps) {
    super(scope, id);
    checkGiven(this, props, 'table', 'the table of a limiter (limiter.table.table)');
    this.props = props;
    const checks = new PropChecks(this);
    checks.text('runbookUrl', props.runbookUrl, WEB_ADDRESS, WEB_ADDRESS_WORDS);
    const name = checks.text('dashboardName', props.dashboardName, /^[\w-]{1,255}$/, '1 to 255 letters, digits, - or _');
    this.dashboard = new Dashboard(this, 'Resource', {
      dashboardName: name,
      defaultInterval: checks.seconds('defaultInterval', props.defaultInterval, 60, MAX_INTERVAL_SEC) ?? Duration.hours(12),
      widgets: this.rows(checks),
    });
  }

  private rows(checks: PropChecks): IWidget[][] {
    const { table, aggregator, runbookUrl } = this.props;
    const prices = pricesFor(this, checks, this.props.prices);
    const namespace = checks.metricsNamespace(this.props.metricsNamespace) ?? aggregator?.metricsNamespace ?? METRICS_NAMESPACE;
    const metrics = new WatchedMetrics(table, namespace);
    const callers = new CallerWidgets(metrics);
    const text = (markdown: string, height: number): TextWidget =>
      new TextWidget({ markdown, width: COLUMNS, height, background: TextWidgetBackground.SOLID });
    const ledger =
      aggregator === undefined
        ? []
        : [
            [heading('The ledger, and the function that keeps it')],
            ledgerWidgets(aggregator, metrics),
            aggregatorWidgets(aggregator, metrics),
          ];
    return [
      [
        new TextWidget({
          markdown: introduction(table.tableName),
          width: COLUMNS,
          height: 2,
          background: TextWidgetBackground.TRANSPARENT,
        }),
      ],
      this.alarmStates(),
      callers.glance(prices),
      [heading('What callers see')],
      callers.traffic(),
      callers.work(),
      callers.processes(),
      this.rankings(),
      [heading('What the table does, and costs')],
      tableWidgets(metrics, prices),
      ...ledger,
      [heading('What to do')],
      [text(runbookText(runbookUrl), 7)],
    ].filter((row) => row.length > 0);
  }

  private alarmStates(): IWidget[] {
    const alarms = this.props.alarms?.alarms ?? [];
    if (alarms.length === 0) return [];
    return [new AlarmStatusWidget({ title: 'Alarms', alarms, width: COLUMNS, height: 3 })];
  }

  private rankings(): IWidget[] {
    const { callerLogGroups = [], table } = this.props;
    if (callerLogGroups.length === 0) return [];
    const ranking = (id: string, title: string, field: string): IWidget => {
      const rule = entityRanking(this, id, table.tableName, callerLogGroups, field);
      return new RankingWidget(this, title, rule, COLUMNS / 2, RANKING_HEIGHT);
    };
    return [
      ranking('Busiest', 'Heaviest entities: acquires', ENTITY_FIELD.acquires),
      ranking('MostRejected', 'Entities that are refused most', ENTITY_FIELD.rejected),
    ];
  }
}
