import type { EventsOptions, UsageEvent } from '@millrace/limiter';
import type { Command } from 'commander';
import { withLimiter } from '../connection.js';
import { CliFailure } from '../failure.js';
import { checkForms } from '../parse/forms.js';
import { MOMENT_HELP } from '../parse/instant.js';
import { addPageOptions, type PageFlags, pageNote, parsePage } from '../parse/page.js';
import { parseRange } from '../parse/window.js';
import { csv } from '../render/csv.js';
import type { Style } from '../render/style.js';
import { table } from '../render/table.js';
import { type Answer, addCommand, answering, type Cli, type Session } from '../session.js';
import { everyPage } from './every-page.js';

interface EventFlags extends PageFlags {
  readonly from?: string;
  readonly to?: string;
  readonly key?: string;
  readonly newest?: boolean;
  readonly csv?: boolean;
}

/** `millrace usage events`: leases that were recorded one by one. */
export function addUsageEvents(usage: Command, cli: Cli): void {
  const command = addCommand(
    usage,
    'events <entity> <resource>',
    'committed leases that were recorded one by one',
    'millrace usage events key-1 gpt-4 --from 2026-05-01 --to 2026-06-01 --csv',
  );
  addPageOptions(command, 'events')
    .option('--from <moment>', `events from then on: ${MOMENT_HELP} (24h unless given)`)
    .option('--to <moment>', 'and before then (now unless given)')
    .option('--newest', 'the newest first')
    .option('--key <key>', 'only the event of this idempotency key, whenever it was')
    .option('--csv', 'print comma-separated values, of the whole range')
    .action(
      answering(cli, (session, entity: string, resource: string, flags: EventFlags) => {
        checkForms(session, flags);
        const place = { entity, resource };
        if (flags.key !== undefined) {
          checkAlone(flags);
          return oneEvent(session, place, flags.key, flags);
        }
        const order = flags.newest === true ? 'newest-first' : 'oldest-first';
        const query = { ...place, ...parseRange(flags, 'hour', Date.now()), order } as const;
        const page = parsePage(flags);
        return flags.csv === true ? wholeRange(session, query) : onePage(session, { ...query, ...page });
      }),
    );
}

/** Refuses what would do nothing beside a key. */
function checkAlone({ from, to, newest, limit, after }: EventFlags): void {
  const [other] = Object.entries({ from, to, newest, limit, after }).find(([, value]) => value !== undefined) ?? [];
  if (other === undefined) return;
  throw new CliFailure('USAGE', `--key finds one event, whenever it was, so --${other} does nothing beside it`, 'leave one of them out');
}

type Place = Pick<EventsOptions, 'entity' | 'resource'>;

async function oneEvent(session: Session, place: Place, idempotencyKey: string, flags: EventFlags): Promise<Answer> {
  const event = await withLimiter(session, ({ usage }) => usage.findEvent({ ...place, idempotencyKey }));
  const events = event === undefined ? [] : [event];
  return { json: { events }, text: (style) => (flags.csv === true ? eventCsv(place, events) : eventTable(events, style)) };
}

async function onePage(session: Session, query: EventsOptions): Promise<Answer> {
  const { events, next } = await withLimiter(session, ({ usage }) => usage.events(query));
  return { json: { events, ...(next === undefined ? {} : { next }) }, text: (style) => eventTable(events, style), ...pageNote(next) };
}

async function wholeRange(session: Session, query: EventsOptions): Promise<Answer> {
  const all = await withLimiter(session, ({ usage }) =>
    everyPage(session, 'events', async (place) => {
      const { events, next } = await usage.events({ ...query, ...place });
      return { items: events, next };
    }),
  );
  return { json: { events: all }, text: () => eventCsv(query, all) };
}

/** A limit to a line: programs that read tables want one fact in each. */
function eventCsv({ entity, resource }: Place, events: readonly UsageEvent[]): string {
  const rows = events.flatMap(({ id, at, amounts, idempotencyKey, meta, degraded }) =>
    Object.entries(amounts).map(([limit, tokens]) => [
      entity,
      resource,
      id,
      at.toISOString(),
      limit,
      tokens,
      idempotencyKey,
      meta === undefined ? undefined : JSON.stringify(meta),
      degraded ? 'degraded' : undefined,
    ]),
  );
  return csv(['entity', 'resource', 'id', 'at', 'limit', 'tokens', 'key', 'meta', 'degraded'], rows);
}

function eventTable(events: readonly UsageEvent[], style: Style): string {
  const rows = events.map(({ at, amounts, idempotencyKey, meta, degraded }) => [
    at.toISOString(),
    Object.entries(amounts)
      .map(([limit, tokens]) => `${limit} ${tokens}`)
      .join(', ') + (degraded ? ' (degraded)' : ''),
    idempotencyKey,
    meta === undefined ? undefined : JSON.stringify(meta),
  ]);
  return table(['at', 'tokens', 'key', 'meta'], rows, { style, empty: 'no events' });
}
