import { Stack } from 'aws-cdk-lib';
import {
  Color,
  ConcreteWidget,
  GraphWidget,
  type GraphWidgetProps,
  GraphWidgetView,
  type IMetric,
  LegendPosition,
  TextWidget,
  TextWidgetBackground,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IConstruct } from 'constructs';

/** The width of a dashboard, in columns. */
export const COLUMNS = 24;
const HEIGHT = 6;

/** Good is green, refused is orange, broken is red; the others only tell lines apart. */
export const COLORS = {
  good: Color.GREEN,
  refused: Color.ORANGE,
  broken: Color.RED,
  read: Color.BLUE,
  write: Color.PURPLE,
  gone: Color.BROWN,
} as const;

/** A line above a group of widgets. */
export function heading(text: string): TextWidget {
  return new TextWidget({ markdown: `## ${text}`, width: COLUMNS, height: 1, background: TextWidgetBackground.TRANSPARENT });
}

/** A graph from zero, with its legend below; `unit` is written at the axis. */
export function graph(
  title: string,
  unit: string,
  left: readonly IMetric[],
  props: GraphWidgetProps & { readonly columns: number },
): GraphWidget {
  const { columns, ...rest } = props;
  return new GraphWidget({
    title,
    left: [...left],
    leftYAxis: { min: 0, label: unit, showUnits: false },
    width: columns,
    height: HEIGHT,
    legendPosition: LegendPosition.BOTTOM,
    view: GraphWidgetView.TIME_SERIES,
    ...rest,
  });
}

/** Words in the place of a graph, where there is nothing to draw: why, and what changes it. */
export function note(title: string, markdown: string, columns: number): TextWidget {
  return new TextWidget({ markdown: `### ${title}\n${markdown}`, width: columns, height: HEIGHT, background: TextWidgetBackground.SOLID });
}

/** What a rule of Contributor Insights ranks. The CDK has no widget for it. */
export class RankingWidget extends ConcreteWidget {
  private readonly scope: IConstruct;
  private readonly title: string;
  private readonly ruleName: string;

  constructor(scope: IConstruct, title: string, ruleName: string, columns: number, height: number) {
    super(columns, height);
    this.scope = scope;
    this.title = title;
    this.ruleName = ruleName;
  }

  override toJson(): object[] {
    const properties = {
      title: this.title,
      region: Stack.of(this.scope).region,
      insightRule: { maxContributorCount: 10, orderBy: 'Sum', ruleName: this.ruleName },
      legend: { position: 'right' },
      period: 300,
      view: 'timeSeries',
    };
    return [{ type: 'metric', width: this.width, height: this.height, x: this.x, y: this.y, properties }];
  }
}
