import { isMillraceError, Limit, type LimitDefinition } from '@millrace/core';
import type { AuditEvent, AuditLog } from '@millrace/limiter/admin';
import type { Command } from 'commander';
import { withLimiter, withRegistry } from '../connection.js';
import { CliFailure } from '../failure.js';
import { checkForms } from '../parse/forms.js';
import { MOMENT_HELP, parseInstant } from '../parse/instant.js';
import { addPageOptions, type PageFlags, pageNote, parsePage } from '../parse/page.js';
import { type Brief, brief, plainText } from '../render/brief.js';
import { csv } from '../render/csv.js';
import { limitsText, moment } from '../render/figures.js';
import { table } from '../render/table.js';
import { type Answer, addCommand, addGroup, answering, type Cli, type Session } from '../session.js';
import { everyPage } from './every-page.js';

interface AuditFlags extends PageFlags {
  readonly entity?: string;
  readonly resource?: string;
  readonly subject?: string;
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

/** `millrace audit`: who changed what, and when. */
export function addAudit(program: Command, cli: Cli): void {
  const audit = addGroup(program, 'audit', 'who changed what, and when');
  addPageOptions(addCommand(audit, 'list', 'administrative writes, newest first', 'millrace audit list --entity key-1 --from 7d'), 'events')
    .option('--entity <name>', 'only what was done to this entity')
    .option('--resource <name>', 'only what was done to this resource')
    .option('--subject <name>', 'only this: entity/<id>, resource/<name>, system, manifest/<name>, namespace/<name> or schema')
    .option('--from <moment>', `events from then on: ${MOMENT_HELP} (the first unless given)`)
    .option('--to <moment>', 'and before then (the last unless given)')
    .option('--csv', 'print comma-separated values, of the whole range')
    .action(
      answering(cli, (session, flags: AuditFlags) => {
        checkForms(session, flags);
        const subject = subjectOf(flags);
        const [from, to] = [instant('--from', flags.from), instant('--to', flags.to)];
        const query = {
          ...(subject === undefined ? {} : { subject }),
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
        };
        const page = parsePage(flags);
        const list = (audit: AuditLog): Promise<Answer> =>
          flags.csv === true ? wholeRange(session, audit, query) : onePage(audit, { ...query, ...page });
        // What was done to namespaces and to the schema belongs to the table: no namespace need be there to read it.
        return subject !== undefined && /^(namespace\/|schema$)/.test(subject)
          ? withRegistry(session, ({ audit: log }) => list(log))
          : withLimiter(session, (limiter) => list(limiter.audit));
      }),
    );
}

type Query = NonNullable<Parameters<AuditLog['list']>[0]>;

async function onePage(audit: AuditLog, query: Query): Promise<Answer> {
  const { events, next } = await audit.list(query);
  const { text, note } = eventLines(events);
  const notes = [note, pageNote(next).note].filter((line) => line !== undefined);
  return {
    json: { events, ...(next === undefined ? {} : { next }) },
    text,
    ...(notes.length === 0 ? {} : { note: notes.join('\n') }),
  };
}

async function wholeRange(session: Session, audit: AuditLog, query: Query): Promise<Answer> {
  const all = await everyPage(session, 'events', async (place) => {
    const { events, next } = await audit.list({ ...query, ...place });
    return { items: events, next };
  });
  return { json: { events: all }, text: () => eventCsv(all) };
}

/** An event to a line. What was there before and after is JSON, whole. */
function eventCsv(events: readonly AuditEvent[]): string {
  const json = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
  const rows = events.map(({ id, at, actor, action, subject, resource, before, after }) => [
    id,
    at.toISOString(),
    actor,
    action,
    subject,
    resource,
    json(before),
    json(after),
  ]);
  return csv(['id', 'at', 'actor', 'action', 'subject', 'resource', 'before', 'after'], rows);
}

function subjectOf({ entity, resource, subject }: AuditFlags): string | undefined {
  const named = [
    entity === undefined ? undefined : `entity/${entity}`,
    resource === undefined ? undefined : `resource/${resource}`,
    subject,
  ];
  const given = named.filter((name) => name !== undefined);
  if (given.length > 1)
    throw new CliFailure('USAGE', '--entity, --resource and --subject exclude each other', 'leave all but one of them out');
  return given[0];
}

function instant(option: string, text: string | undefined): Date | undefined {
  return text === undefined ? undefined : parseInstant(option, text, Date.now());
}

/** The events for people; what did not fit is said, as the table shows only its beginning. */
function eventLines(events: readonly AuditEvent[]): { readonly text: Answer['text']; readonly note?: string } {
  const values = events.map((event) => ({ before: short(event.before), after: short(event.after) }));
  const rows = events.map((event, index) => [
    moment(event.at),
    event.actor,
    event.action,
    event.resource === undefined ? event.subject : `${event.subject} on ${event.resource}`,
    values[index]?.before?.text,
    values[index]?.after?.text,
  ]);
  const isCut = values.some(({ before, after }) => before?.isCut === true || after?.isCut === true);
  return {
    text: (style) => table(['at', 'actor', 'action', 'subject', 'before', 'after'], rows, { style, empty: 'no events' }),
    ...(isCut ? { note: 'what ends with … is cut: --json shows it whole' } : {}),
  };
}

function short(value: unknown): Brief | undefined {
  return value === undefined ? undefined : brief(inBrief(value));
}

/** Limits as they are typed; anything else by name. */
function inBrief(value: unknown): string {
  const { limits, managedBy } = (typeof value === 'object' && value !== null ? value : {}) as {
    readonly limits?: unknown;
    readonly managedBy?: unknown;
  };
  if (!Array.isArray(limits)) return plainText(value);
  try {
    const text = limitsText(limits.map((limit) => Limit.of(limit as LimitDefinition)));
    return managedBy === undefined ? text : `${text} (${managedBy})`;
  } catch (error) {
    // A newer release may know limits that this one does not: an event is shown nevertheless.
    if (isMillraceError(error)) return plainText(value);
    throw error;
  }
}
