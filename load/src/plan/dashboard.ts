import { limitNames } from './exactness.js';
import type { World } from './scenario.js';
import { ADMITTED_COUNTER, ERRORS_RATE, REFUSED_RATE, REJECTED_COUNTER, tokenCounter, UNITS_TREND } from './series.js';

interface Panel {
  readonly id: string;
  readonly title: string;
  readonly kind: 'stat' | 'chart' | 'summary';
  readonly summary: string;
  readonly series: readonly { readonly query: string; readonly legend?: string }[];
}

type Draft = Omit<Panel, 'id' | 'kind' | 'summary'> & { readonly summary?: string };

/** One page of the dashboard. k6 names what it draws by places, so each place has an id. */
function tab(id: string, title: string, summary: string, sections: readonly { kind: Panel['kind']; panels: readonly Draft[] }[]) {
  return {
    id,
    title,
    summary,
    sections: sections.map(({ kind, panels }, section) => ({
      id: `${id}-${section}`,
      panels: panels.map((panel, index): Panel => ({ summary: '', ...panel, id: `${id}-${section}-${index}`, kind })),
    })),
  };
}

/** What is asked of a series is itself without its tags, by one of k6's aggregates. */
function of(metric: string, aggregate: string, legend?: string): { readonly query: string; readonly legend?: string } {
  return { query: `${metric}[?!tags && ${aggregate}]`, ...(legend === undefined ? {} : { legend }) };
}

function latency(metric: string, title: string, summary: string): Draft {
  return { title, summary, series: [of(metric, 'med', 'p50'), of(metric, 'p95', 'p95'), of(metric, 'p99', 'p99')] };
}

/**
 * The dashboard of a run, as k6 takes it from the file that `XK6_DASHBOARD_CONFIG` names: a page of the limiter, one of what
 * lies below it, and the tables of all series. A chart has one series for each legend, and a series without a sample would
 * move the legends behind it, so what may be missing has a chart of its own.
 */
export function dashboardOf(scenario: string, resources: World['resources']) {
  const limits = limitNames(resources);
  return {
    title: `Millrace: ${scenario}`,
    tabs: [
      tab('limiter', 'Limiter', 'What callers of the limiter see. A rejection is an answer, and no failure.', [
        {
          kind: 'stat',
          panels: [
            { title: 'Admitted', series: [of(ADMITTED_COUNTER, 'rate')] },
            { title: 'Rejected', series: [of(REJECTED_COUNTER, 'rate')] },
            { title: 'Acquire p95', series: [of('acquire', 'p95')] },
            { title: 'Rejection p95', series: [of('rate_limited', 'p95')] },
            { title: 'Write units per acquire', series: [of(UNITS_TREND, 'avg')] },
            { title: 'Errors', series: [of(ERRORS_RATE, 'rate')] },
          ],
        },
        {
          kind: 'chart',
          panels: [
            {
              title: 'Admitted and rejected per second',
              summary: 'Calls by their verdict.',
              series: [of(ADMITTED_COUNTER, 'rate', 'admitted'), of(REJECTED_COUNTER, 'rate', 'rejected')],
            },
            latency('acquire', 'Acquire', 'From the call to the admission, with every request that it took.'),
            {
              // k6 takes whatever is neither a time nor a share for something per second.
              title: "Write units per acquire (the /s is k6's)",
              summary: 'What DynamoDB bills for writes, by the acquires of the same time. Refused writes are not in it.',
              series: [of(UNITS_TREND, 'avg', 'write units')],
            },
            {
              title: 'Errors and rejections',
              summary: 'Shares of all calls, and of all acquires.',
              series: [of(ERRORS_RATE, 'rate', 'errors'), of(REFUSED_RATE, 'rate', 'rejected')],
            },
            ...limits.map((limit) => ({
              title: `Tokens of ${limit} taken per second`,
              series: [of(tokenCounter('taken', limit), 'rate', limit)],
            })),
          ],
        },
        // k6 leaves out a section without a sample: many runs neither adjust nor refuse.
        {
          kind: 'chart',
          panels: [
            latency('commit', 'Commit', 'Adjustments and releases; a commit that moves nothing sends nothing, and is not here.'),
            latency('rate_limited', 'Rejection', 'From the call to the refusal. One that is known from before takes no request.'),
          ],
        },
      ]),
      tab('below', 'DynamoDB and k6', 'Requests as k6 sends them, and users.', [
        {
          kind: 'chart',
          panels: [
            latency('http_req_duration', 'One request', 'Of any kind, from the first byte sent to the last one received.'),
            { title: 'Requests per second', series: [of('requests', 'rate', 'requests')] },
            { title: 'Units per second', series: [of('write_units', 'rate', 'write units'), of('read_units', 'rate', 'read units')] },
            { title: 'Refused writes per second', series: [of('refused_writes', 'rate', 'refused writes')] },
            { title: 'Users', series: [of('vus', 'value', 'users')] },
            { title: 'Turns per second', series: [of('turns_ended', 'rate', 'turns')] },
            { title: 'Turns that nobody was free for', series: [of('dropped_iterations', 'rate', 'dropped')] },
          ],
        },
      ]),
      tab('all', 'All series', 'Over the whole run.', [
        { kind: 'summary', panels: [{ title: 'Times', series: [{ query: '[?!tags && trend]' }] }] },
        {
          kind: 'summary',
          panels: [
            { title: 'Counters', series: [{ query: '[?!tags && counter]' }] },
            { title: 'Rates', series: [{ query: '[?!tags && rate]' }] },
            { title: 'Gauges', series: [{ query: '[?!tags && gauge]' }] },
          ],
        },
      ]),
    ],
  };
}
