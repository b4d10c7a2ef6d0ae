import type { CurrentUsage, RateLimiter, TopUsage, UsageSnapshot, WindowType } from '@millrace/limiter';
import type { Command } from 'commander';
import { loadArrow, writeArrow } from '../arrow-file.js';
import { withLimiter } from '../connection.js';
import { checkForms } from '../parse/forms.js';
import { MOMENT_HELP, parseInstant } from '../parse/instant.js';
import { addPageOptions, type PageFlags, pageNote, parsePage } from '../parse/page.js';
import { parseWhole } from '../parse/whole.js';
import { BACK_HELP, parseRange, parseSource, parseWindowType, SOURCE_HELP } from '../parse/window.js';
import { csv } from '../render/csv.js';
import { counted, figure, moment } from '../render/figures.js';
import type { Style } from '../render/style.js';
import { table } from '../render/table.js';
import { safe } from '../render/text.js';
import { totalsTable, usageChart, usageCsv, usageRows, usageTable } from '../render/usage.js';
import { type Answer, addCommand, addGroup, answering, type Cli, type Session } from '../session.js';
import { everyPage } from './every-page.js';
import { addUsageEvents } from './usage-events.js';
import { addUsageTrust } from './usage-trust.js';

interface RangeFlags {
  readonly source?: string;
  readonly type?: string;
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

interface SnapshotFlags extends RangeFlags, PageFlags {
  readonly fill?: boolean;
  readonly chart?: boolean;
  readonly arrow?: string;
}

const TYPE_HELP = 'hour, day, week or month';

/** `millrace usage`: what was used. */
export function addUsage(program: Command, cli: Cli): void {
  const usage = addGroup(program, 'usage', 'what entities have used, and whether the ledger that says so is whole');
  addSnapshots(usage, cli);
  addSummary(usage, cli);
  addTop(usage, cli);
  addCurrent(usage, cli);
  addUsageEvents(usage, cli);
  addUsageTrust(usage, cli);
}

function addSnapshots(usage: Command, cli: Cli): void {
  const command = addCommand(
    usage,
    'snapshots <entity> [resource]',
    'what was used in each hour, day, week or month',
    'millrace usage snapshots key-1 gpt-4 --type hour --from 24h --chart',
  );
  addPageOptions(command, 'windows')
    .option('--type <type>', `${TYPE_HELP} (hour unless given)`)
    .option('--from <moment>', `windows that begin from then on: ${MOMENT_HELP} (unless given ${BACK_HELP})`)
    .option('--to <moment>', 'and before then (now unless given)')
    .option('--source <source>', SOURCE_HELP)
    .option('--fill', 'show windows in which nothing was used, too')
    .option('--csv', 'print comma-separated values, of the whole range')
    .option('--chart', 'draw bars of what was consumed, of the whole range')
    .option('--arrow <file>', 'write the whole range to an Arrow file, over one that is there (needs the package apache-arrow)')
    .action(
      answering(cli, (session, entity: string, resource: string | undefined, flags: SnapshotFlags) => {
        checkForms(session, flags);
        const type = parseWindowType(flags.type ?? 'hour');
        const fillGaps = flags.fill === true || flags.chart === true;
        const query = {
          entity,
          ...(resource === undefined ? {} : { resource }),
          type,
          ...parseRange(flags, type, Date.now()),
          ...parseSource(flags),
          fillGaps,
        };
        const page = parsePage(flags);
        const isWhole = flags.csv === true || flags.chart === true || flags.arrow !== undefined;
        return isWhole ? wholeRange(session, query, flags, cli) : onePage(session, query, page);
      }),
    );
}

type SnapshotQuery = Parameters<RateLimiter['usage']['snapshots']>[0];

async function onePage(session: Session, query: SnapshotQuery, page: ReturnType<typeof parsePage>): Promise<Answer> {
  const { snapshots, next } = await withLimiter(session, ({ usage }) => usage.snapshots({ ...query, ...page }));
  const rows = usageRows(query.entity, snapshots);
  return {
    json: { entity: query.entity, snapshots, ...(next === undefined ? {} : { next }) },
    text: (style) => usageTable(rows, style),
    ...pageNote(next),
  };
}

async function wholeRange(session: Session, query: SnapshotQuery, flags: SnapshotFlags, { terminal }: Cli): Promise<Answer> {
  const { arrow: file } = flags;
  const arrow = file === undefined ? undefined : await loadArrow();
  const snapshots = await allSnapshots(session, query);
  const rows = usageRows(query.entity, snapshots);
  if (file !== undefined && arrow !== undefined) {
    await writeArrow(file, arrow, rows);
    return { json: { file, rows: rows.length }, text: () => `wrote ${figure(rows.length)} rows to ${file}\n` };
  }
  const { columns } = terminal.out as { readonly columns?: number };
  return {
    json: { entity: query.entity, snapshots },
    text: (style) => (flags.csv === true ? usageCsv(rows) : usageChart(snapshots, columns, style)),
  };
}

function allSnapshots(session: Session, query: SnapshotQuery): Promise<readonly UsageSnapshot[]> {
  return withLimiter(session, ({ usage }) =>
    everyPage(session, 'windows', async (place) => {
      const { snapshots, next } = await usage.snapshots({ ...query, ...place });
      return { items: snapshots, next };
    }),
  );
}

function addSummary(usage: Command, cli: Cli): void {
  addCommand(
    usage,
    'summary <entity> [resource]',
    'what was used in a time altogether',
    'millrace usage summary key-1 --from 2026-05-01 --to 2026-06-01',
  )
    .option('--type <type>', `sum only windows of this type: ${TYPE_HELP}`)
    .option('--source <source>', SOURCE_HELP)
    .option('--from <moment>', `from the first hour on that begins then or later: ${MOMENT_HELP} (30d unless given)`)
    .option('--to <moment>', 'up to the first hour that begins then or later (now unless given)')
    .option('--csv', 'print comma-separated values')
    .action(
      answering(cli, async (session, entity: string, resource: string | undefined, flags: RangeFlags) => {
        checkForms(session, flags);
        const type = flags.type === undefined ? {} : { type: parseWindowType(flags.type) };
        const query = {
          entity,
          ...(resource === undefined ? {} : { resource }),
          ...type,
          ...parseRange(flags, 'day', Date.now()),
          ...parseSource(flags),
        };
        const summary = await withLimiter(session, (limiter) => limiter.usage.summary(query));
        const rows = Object.entries(summary.resources).flatMap(([name, limits]) =>
          Object.entries(limits).map(([limit, { used, returned, net }]) => [entity, name, limit, used, returned, net]),
        );
        return {
          json: { entity, ...summary },
          text: (style) =>
            flags.csv === true
              ? csv(['entity', 'resource', 'limit', 'used', 'returned', 'net'], rows)
              : `${moment(summary.from)} to ${moment(summary.to)}\n\n${totalsTable(summary.resources, style)}`,
        };
      }),
    );
}

interface TopFlags {
  readonly of?: string;
  readonly type?: string;
  readonly at?: string;
  readonly count?: string;
  readonly csv?: boolean;
}

function addTop(usage: Command, cli: Cli): void {
  addCommand(
    usage,
    'top <resource>',
    'the entities that used most of a resource',
    'millrace usage top gpt-4 --of tpm --type day --at 2026-05-01T12:00Z',
  )
    .requiredOption('--of <limit>', 'the limit whose use is compared; must be given')
    .option('--type <type>', `${TYPE_HELP} (hour unless given)`)
    .option('--at <moment>', `in the window of then: ${MOMENT_HELP} (now unless given)`)
    .option('--count <count>', 'how many, from 1 to 1,000 (10 unless given)')
    .option('--csv', 'print comma-separated values')
    .action(
      answering(cli, async (session, resource: string, flags: TopFlags) => {
        checkForms(session, flags);
        const type: WindowType = parseWindowType(flags.type ?? 'hour');
        const start = flags.at === undefined ? new Date() : parseInstant('--at', flags.at, Date.now());
        const count = parseWhole('--count', flags.count ?? '10', 1, 1_000);
        const query = { resource, type, start, limitName: flags.of ?? '', count };
        const top = await withLimiter(session, (limiter) => limiter.usage.top(query));
        const rows = top.entities.map(({ entity, used, returned, net }) => [entity, used, returned, net]);
        const unused = unusedLimit(top, query.limitName);
        return {
          json: { resource, type, limit: query.limitName, ...top },
          text: (style) =>
            flags.csv === true ? csv(['entity', 'used', 'returned', 'net'], rows) : (unused ?? topTable(top, query.limitName, style)),
          ...(flags.csv === true && unused !== undefined ? { note: unused.trimEnd() } : {}),
        };
      }),
    );
}

/** What to say where every entity would stand there with nothing: the limit was not among those used, most likely because there is none. */
function unusedLimit({ start, end, limitNames }: TopUsage, limit: string): string | undefined {
  if (limitNames.length === 0 || limitNames.includes(limit)) return undefined;
  return `no limit "${safe(limit)}" was used from ${moment(start)} to ${moment(end)}; those that were: ${limitNames.join(', ')}\n`;
}

function topTable({ start, end, entities, entityCount, total }: TopUsage, limit: string, style: Style): string {
  const window = `from ${moment(start)} to ${moment(end)}`;
  const rows = entities.map(({ entity, used, returned, net }) => [entity, used, returned, net, share(net, total)]);
  const head = `${limit} ${window}: ${figure(total)} by ${counted(entityCount, 'entity', 'entities')}`;
  return `${head}\n\n${table(['entity', 'used', 'returned', 'net', { title: 'share', align: 'right' }], rows, { style, empty: 'nothing was used' })}`;
}

function share(part: number, total: number): string | undefined {
  return total > 0 ? `${((100 * part) / total).toFixed(1)} %` : undefined;
}

function addCurrent(usage: Command, cli: Cli): void {
  addCommand(
    usage,
    'current <entity> [resource]',
    'what was used by now, and what is left, from the buckets themselves',
    'millrace usage current key-1 gpt-4',
  )
    .option('--csv', 'print comma-separated values')
    .action(
      answering(cli, async (session, entity: string, resource: string | undefined, flags: { readonly csv?: boolean }) => {
        checkForms(session, flags);
        const query = { entity, ...(resource === undefined ? {} : { resource }) };
        const current = await withLimiter(session, (limiter) => limiter.usage.current(query));
        return {
          json: { entity, current },
          text: (style) => (flags.csv === true ? currentCsv(entity, current) : currentTable(current, style)),
        };
      }),
    );
}

function currentCsv(entity: string, current: readonly CurrentUsage[]): string {
  const rows = current.flatMap(({ resource, since, limits }) =>
    Object.entries(limits).map(([limit, { net, available }]) => [entity, resource, limit, net, available, since?.toISOString()]),
  );
  return csv(['entity', 'resource', 'limit', 'net', 'available', 'since'], rows);
}

function currentTable(current: readonly CurrentUsage[], style: Style): string {
  const rows = current.flatMap(({ resource, since, limits }) =>
    Object.entries(limits).map(([limit, { net, available }]) => [
      resource,
      limit,
      net,
      available,
      since === undefined ? undefined : moment(since),
    ]),
  );
  return table(['resource', 'limit', 'net', 'available', 'since'], rows, { style, empty: 'no bucket is there: nothing was used lately' });
}
