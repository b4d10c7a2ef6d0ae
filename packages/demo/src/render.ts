import { BOOKED_TYPES } from './ledger-books.js';
import type { EntityReport, LimitReport, RunReport } from './report.js';
import type { Style } from './style.js';

/** A report as people read it. */
export function renderReport(report: RunReport, style: Style): string {
  return [
    style.bold('Who used what'),
    ...entityTable(report.entities, style),
    style.dim(
      `bound: the capacity and ${(report.elapsedMs / 1000).toFixed(1)} s of its rate.  429s: those in which that entity's own limit stood in the way`,
    ),
    '',
    style.bold('What happened'),
    ...happenings(report),
    '',
    style.bold('Tokens'),
    ...tokenAccount(report),
    '',
    style.bold(`What it cost, for each of ${whole(report.cost.acquires)} acquires`),
    ...costs(report),
    '',
    style.bold('What held'),
    ...verdicts(report, style),
    '',
    style.bold('What the usage ledger says: tokens, by hour'),
    ...ledgerChart(report.entities, style),
    ...ledgerVerdict(report, style),
    '',
  ].join('\n');
}

const COLUMNS = ['', 'requests', 'of bound', 'tokens', 'of bound', 'used', '429s', 'by limit', 'longest wait'] as const;
const LEFT_ALIGNED: ReadonlySet<number> = new Set([0, 7]);

function entityTable(entities: readonly EntityReport[], style: Style): readonly string[] {
  const rows = entities.map((entity) => [
    '  '.repeat(entity.depth) + entity.id,
    ...usage(entity, 'rpm').slice(0, 2),
    ...usage(entity, 'tpm'),
    whole(entity.refusedHere),
    entity.exhausted.join(', '),
    `${(entity.longestWaitMs / 1000).toFixed(1)} s`,
  ]);
  const widths = COLUMNS.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (LEFT_ALIGNED.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [style.dim(line(COLUMNS)), ...rows.map(line)];
}

function usage(entity: EntityReport, name: LimitReport['limit']): readonly [used: string, bound: string, share: string] {
  const limit = entity.limits.find((candidate) => candidate.limit === name);
  if (limit === undefined) return ['-', '-', '-'];
  return [whole(limit.used), whole(limit.bound), `${Math.round((100 * limit.used) / limit.bound)} %`];
}

function happenings({ calls, refused, firstUnexpected }: RunReport): readonly string[] {
  const made = calls.answered + calls.failed + calls.gaveUp + calls.cutOff + calls.unexpected;
  return [
    `${whole(made)} calls: ${whole(calls.answered)} answered, ${whole(calls.failed)} failed in the model, ` +
      `${whole(calls.gaveUp)} gave up, ${whole(calls.cutOff)} still waiting at the end`,
    `${whole(refused.answers)} times 429, ${whole(refused.withRetryAfter)} of them with Retry-After: ` +
      `clients waited as told ${whole(refused.waitedAsTold)} times, came back early ${whole(refused.cameBackEarly)} times`,
    ...(firstUnexpected === undefined ? [] : [`${whole(calls.unexpected)} answers were none of these, the first ${firstUnexpected}`]),
  ];
}

function tokenAccount({ tokens, failedCallsThatGaveBack }: RunReport): readonly string[] {
  const lines = [
    ['', tokens.reserved, 'reserved by estimate, before the call'],
    ['−', tokens.givenBackByFailedCalls, `given back by the ${whole(failedCallsThatGaveBack)} calls that failed`],
    ['−', tokens.credited, 'given back by adjust, where the estimate was too high'],
    ['+', tokens.charged, 'charged by adjust, where it was too low'],
    ['=', tokens.used, 'used, as the clients were told'],
  ] as const;
  const width = Math.max(...lines.map(([, count]) => whole(count).length));
  return lines.map(([sign, count, what]) => `${sign.padEnd(1)} ${whole(count).padStart(width)}  ${what}`);
}

function costs({ cost }: RunReport): readonly string[] {
  const sent = Object.entries(cost.requests).map(([operation, count]) => `${operation} ${whole(count)}`);
  const lines = [
    [
      cost.acquireWritesPerAcquire,
      `writes: one at each of ${cost.levels} levels, one more at each that gave back because another said 429, ` +
        `and ${whole(cost.wrongGuesses)} wrong guesses`,
    ],
    [cost.requestsPerAcquire, `requests with all that followed, adjusts and failed calls: ${sent.join(', ')}`],
    [
      cost.billedUnitsPerAcquire,
      `write units with all that followed: ${whole(cost.writeUnits)} that the engine reports, ` +
        `${whole(cost.refusedWrites)} refused conditions that AWS bills`,
    ],
  ] as const;
  return lines.map(([perAcquire, what]) => `${perAcquire.toFixed(2).padStart(5)}  ${what}`);
}

function verdicts(report: RunReport, style: Style): readonly string[] {
  const limits = report.entities.flatMap((entity) => entity.limits.map((limit) => ({ ...limit, entity: entity.id })));
  const closest = limits.reduce((most, limit) => (share(limit) > share(most) ? limit : most));
  const apart = limits.filter((limit) => limit.used !== limit.inTable);
  const bound =
    `${whole(report.beyondTokens)} tokens admitted beyond the bound, in any window of time, at any of ${limits.length} limits ` +
    `(closest: ${closest.entity} ${closest.limit}, ${whole(closest.peakTokens)} of ${whole(closest.capacity)} out at once)`;
  const books = report.tableAgrees
    ? `the table agrees with what the clients admit to, on all ${limits.length} counts, to the token`
    : `the table and the clients disagree on ${apart.length} of ${limits.length} counts: ${apart.map(difference).join('; ')}`;
  const lost = report.cost.lostReplies;
  return [
    mark(report.beyondTokens === 0, bound, style),
    mark(report.tableAgrees, books, style),
    ...(lost === 0 ? [] : [`  ${whole(lost)} replies of the engine were lost, and what they had taken with them`]),
  ];
}

const BAR_COLUMNS = 40;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar for each entity, of the tokens in the hours that the demo ran in: the organisation's, which is all of them, is the longest. */
function ledgerChart(entities: readonly EntityReport[], style: Style): readonly string[] {
  const rows = entities.map(({ id, depth, limits }) => ({
    label: '  '.repeat(depth) + id,
    tokens: limits.find(({ limit }) => limit === 'tpm')?.inLedger.hour ?? 0,
  }));
  const [labelWidth, countWidth] = [
    Math.max(...rows.map(({ label }) => label.length)),
    Math.max(...rows.map(({ tokens }) => whole(tokens).length)),
  ];
  const most = Math.max(1, ...rows.map(({ tokens }) => tokens));
  return rows.map(({ label, tokens }) => {
    const eighths = Math.round((Math.max(0, tokens) / most) * BAR_COLUMNS * 8);
    const bar = '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
    return `${label.padEnd(labelWidth)}  ${whole(tokens).padStart(countWidth)}  ${style.good(bar)}`.trimEnd();
  });
}

function ledgerVerdict({ entities, aggregator, tableAgrees, ledgerAgrees }: RunReport, style: Style): readonly string[] {
  const counts = entities.flatMap(({ id, limits }) =>
    limits.flatMap(({ limit, inTable, inLedger }) =>
      BOOKED_TYPES.map((type) => ({ entity: id, limit, type, inTable, inLedger: inLedger[type] })),
    ),
  );
  const apart = counts.filter((count) => count.inLedger !== count.inTable);
  const [first] = apart;
  const others = tableAgrees ? 'what the clients admit to' : 'the table';
  const text =
    first === undefined
      ? `the ledger agrees with ${others}, by hour, day, week and month, on all ${counts.length} counts, to the token`
      : `the ledger and the table disagree on ${apart.length} of ${counts.length} counts, first ${first.entity} ${first.limit} ` +
        `by ${first.type}: ${whole(first.inLedger)} in the ledger, ${whole(first.inTable)} in the table`;
  const { bucketWrites, batches, windowsWritten, longestLagMs, givenUp } = aggregator;
  return [
    style.dim(
      `booked from ${whole(bucketWrites)} writes of buckets in ${whole(batches)} batches, by ${whole(windowsWritten)} writes, ` +
        `${(longestLagMs / 1_000).toFixed(1)} s behind at most`,
    ),
    ...(givenUp === 0 ? [] : [style.bad(`${whole(givenUp)} records were given up`)]),
    mark(ledgerAgrees, text, style),
  ];
}

function share(limit: LimitReport): number {
  return limit.peakTokens / limit.capacity;
}

function difference({ entity, limit, used, inTable }: LimitReport & { readonly entity: string }): string {
  return `${entity} ${limit} ${whole(used)} used, ${whole(inTable)} in the table`;
}

function mark(holds: boolean, text: string, style: Style): string {
  return holds ? style.good(`✓ ${text}`) : style.bad(`✗ ${text}`);
}

function whole(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 0 });
}
