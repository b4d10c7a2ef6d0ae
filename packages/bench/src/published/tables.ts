import type { PublishedTable } from './published-bench.js';

/** How long one call takes. */
export const LATENCY: PublishedTable = {
  name: 'latency',
  summary: 'how long one call takes, beside what zae-limiter has published',
  unit: 'p50 in ms',
  places: ['mock', 'local container', 'AWS from outside', 'in region'],
  lines: [
    { title: 'acquire, one limit', caseName: 'hot', callers: 'one', published: ['9', '43', '38', '15–20'] },
    { title: 'acquire, two limits', caseName: 'two-limits', callers: 'one', published: ['11', '43', '36', '15–20'] },
    { title: 'acquire with cascade', caseName: 'cascade', callers: 'one', published: ['22', '47', '48', '25–35'] },
    { title: 'available', caseName: 'available', callers: 'one', published: ['1', '7', '10', '1–3'] },
  ],
  figureOf: ({ p50Ms }) => p50Ms,
};

/** How many calls a process makes. */
export const THROUGHPUT: PublishedTable = {
  name: 'throughput',
  summary: 'how many calls one process makes, beside what zae-limiter has published',
  unit: 'calls per second',
  places: ['mock', 'AWS'],
  lines: [
    { title: 'sequential, one entity', caseName: 'hot', callers: 'one', published: ['95', '28'] },
    { title: 'sequential, several entities', caseName: 'distinct', callers: 'one', published: ['76', '26'] },
    { title: 'concurrent, separate entities', caseName: 'distinct', callers: 'many', published: ['85', '176'] },
    { title: 'concurrent, one entity', caseName: 'hot', callers: 'many', published: ['88', undefined] },
    { title: 'cascade, sequential', caseName: 'cascade', callers: 'one', published: ['27', '19'] },
    { title: 'cascade, concurrent', caseName: 'cascade', callers: 'many', published: ['28', '91'] },
  ],
  figureOf: ({ perSecond }) => perSecond,
};
