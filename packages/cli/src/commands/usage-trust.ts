import type { SealCheck, UsageFinding, UsageInFlight, UsageProgress, UsageRepair, UsageSeal, UsageVerdict } from '@millrace/limiter';
import type { Command } from 'commander';
import { withLimiter } from '../connection.js';
import { EXIT } from '../exit-codes.js';
import { CliFailure } from '../failure.js';
import { MOMENT_HELP, parseInstant } from '../parse/instant.js';
import { parseWhole } from '../parse/whole.js';
import { parseSource, parseWindowType, SOURCE_HELP } from '../parse/window.js';
import { counted, moment } from '../render/figures.js';
import type { Style } from '../render/style.js';
import { details, table } from '../render/table.js';
import { totalsTable } from '../render/usage.js';
import { type Answer, addCommand, answering, type Cli, type Session } from '../session.js';

interface TrustFlags {
  readonly entity?: string;
  readonly resource?: string;
  readonly since?: string;
  readonly types?: string;
  readonly settle?: string;
  readonly source?: string;
}

/** What proves that the ledger is whole, or makes it so. */
export function addUsageTrust(usage: Command, cli: Cli): void {
  addTrustOptions(
    addCommand(
      usage,
      'verify',
      'whether the ledger is whole: gaps with amount and place; exit code 2 if any',
      'millrace usage verify --entity key-1',
    ),
  ).action(
    answering(cli, (session, flags: TrustFlags) =>
      watched(session, flags, async (options) => {
        const verdict = await withLimiter(session, (limiter) => limiter.usage.verify(options));
        const { clean, found, inFlight, findings } = verdict;
        return {
          json: verdict,
          text: (style) =>
            [
              clean
                ? `${style.good('whole')}: ${lookedAt(verdict)}\n`
                : `${style.bad('not whole')}: ${lookedAt(verdict)}, ${counted(findings, 'finding')}\n`,
              found.length === 0 ? '' : `\n${findingsTable(found, style)}`,
              inFlight.length === 0 ? '' : `\n${inFlightTable(inFlight, style)}`,
            ].join(''),
          ...verdictNote(verdict, flags),
        };
      }),
    ),
  );
  addTrustOptions(
    addCommand(
      usage,
      'repair',
      'book what is missing, while usage goes on; exit code 2 if something is left',
      'millrace usage repair --entity key-1',
    ),
  ).action(
    answering(cli, (session, flags: TrustFlags) =>
      watched(session, flags, async (options) => {
        const repair = await withLimiter(session, (limiter) => limiter.usage.repair(options));
        const { repaired, repairedCount, left } = repair;
        return {
          json: repair,
          text: (style) =>
            [
              `booked ${counted(repairedCount, 'finding')}: ${lookedAt(repair)}\n`,
              repaired.length === 0 ? '' : `\n${findingsTable(repaired, style)}`,
              left.length === 0 ? '' : `\n${style.bad('left')}\n${findingsTable(left, style)}`,
            ].join(''),
          ...repairNote(repair, flags),
        };
      }),
    ),
  );
  addSeal(usage, cli);
}

function addTrustOptions(command: Command): Command {
  return command
    .option('--entity <name>', 'only this entity (all of the namespace unless given, which reads the whole table)')
    .option('--resource <name>', 'only this resource')
    .option('--source <source>', `${SOURCE_HELP} (of an entity that is named)`)
    .option('--since <moment>', `when the ledger was begun, as older buckets may have been used before: ${MOMENT_HELP}`)
    .option('--types <list>', 'the types of windows that the aggregator keeps: hour,day,week,month unless given')
    .option('--settle <seconds>', 'for how long something must be wrong before it is told, from 0 to 600 (5 unless given)');
}

type TrustOptions = NonNullable<Parameters<import('@millrace/limiter').Usage['verify']>[0]>;

/** Runs work that may take long, and shows on stderr how far it has come. */
async function watched(session: Session, flags: TrustFlags, work: (options: TrustOptions) => Promise<Answer>): Promise<Answer> {
  const options = trustOptions(flags);
  if (options.source === 'events' && options.entity === undefined)
    throw new CliFailure('USAGE', '--source events looks at one entity at a time', 'give --entity <name>');
  const progress = session.progress('entities');
  try {
    return await work({ ...options, onProgress: ({ entities }) => progress.step(entities) });
  } finally {
    progress.end();
  }
}

function trustOptions({ entity, resource, since, types, settle, source }: TrustFlags): TrustOptions {
  return {
    ...parseSource({ ...(source === undefined ? {} : { source }) }),
    ...(entity === undefined ? {} : { entity }),
    ...(resource === undefined ? {} : { resource }),
    ...(since === undefined ? {} : { since: parseInstant('--since', since, Date.now()) }),
    ...(types === undefined ? {} : { types: types.split(',').map((type) => parseWindowType(type, '--types')) }),
    ...(settle === undefined ? {} : { settleMs: parseWhole('--settle', settle, 0, 600) * 1_000 }),
  };
}

/** What to do about it; and that a name may be mistyped, of which there is nothing, and so nothing wrong. */
function verdictNote({ clean, windows, inFlight }: UsageVerdict, { entity, resource }: TrustFlags): Pick<Answer, 'note' | 'exitCode'> {
  if (!clean) return { note: 'millrace usage repair books what is missing', exitCode: EXIT.different };
  if (windows > 0 || inFlight.length > 0) return {};
  const isNamed = entity !== undefined || resource !== undefined;
  return { note: isNamed ? 'no usage of that name was found: is it right?' : 'no usage was found in this namespace' };
}

function repairNote({ clean, windows }: UsageRepair, { entity, resource }: TrustFlags): Pick<Answer, 'note' | 'exitCode'> {
  if (!clean) return { exitCode: EXIT.different };
  const isNamed = entity !== undefined || resource !== undefined;
  return windows === 0 && isNamed ? { note: 'the ledger has no window of that name: is it right?' } : {};
}

function lookedAt({ entities, windows }: Pick<UsageProgress, 'entities' | 'windows'>): string {
  return `${counted(windows, 'window')} of ${counted(entities, 'entity', 'entities')}`;
}

function findingsTable(findings: readonly UsageFinding[], style: Style): string {
  const rows = findings.map((one) => [
    one.kind,
    one.entity,
    one.shard === 0 ? one.resource : `${one.resource} (shard ${one.shard})`,
    one.type,
    one.after === undefined ? undefined : moment(one.after),
    moment(one.window),
    one.limit,
    one.used,
    one.returned,
  ]);
  return table(['finding', 'entity', 'resource', 'type', 'after', 'window', 'limit', 'used', 'returned'], rows, { style });
}

function inFlightTable(inFlight: readonly UsageInFlight[], style: Style): string {
  const rows = inFlight.map(({ entity, resource, limit, used, returned }) => [entity, resource, limit, used, returned]);
  return `not booked yet\n${table(['entity', 'resource', 'limit', 'used', 'returned'], rows, { style })}`;
}

interface SealFlags {
  readonly type?: string;
  readonly at?: string;
  readonly check?: boolean;
  readonly empty?: boolean;
}

function addSeal(usage: Command, cli: Cli): void {
  addCommand(
    usage,
    'seal <resource>',
    'write down what a window that is over came to; with --check, whether it still does (exit code 2 if not)',
    'millrace usage seal gpt-4 --type month --at 2026-05-15',
  )
    .requiredOption('--at <moment>', `any moment of the window, must be given: ${MOMENT_HELP}`)
    .option('--type <type>', 'hour, day, week or month (month unless given)')
    .option('--check', 'compare with the seal instead')
    .option('--empty', 'seal also a window in which nobody used the resource (refused unless given: its name may be mistyped)')
    .action(
      answering(cli, async (session, resource: string, flags: SealFlags) => {
        const start = parseInstant('--at', flags.at ?? '', Date.now());
        if (flags.check === true && flags.empty === true)
          throw new CliFailure('USAGE', '--check and --empty exclude each other', 'leave one of them out');
        const name = { resource, type: parseWindowType(flags.type ?? 'month'), start };
        if (flags.check === true) return checkAnswer(await withLimiter(session, ({ usage: ledger }) => ledger.checkSeal(name)));
        const seal = await withLimiter(session, ({ usage: ledger }) => ledger.seal({ ...name, allowEmpty: flags.empty === true }));
        return { json: seal, text: (style) => sealText(seal, style) };
      }),
    );
}

function sealText(seal: UsageSeal, style: Style): string {
  const pairs = [
    ['resource', seal.resource],
    ['type', seal.type],
    ['start', moment(seal.start)],
    ['end', moment(seal.end)],
    ['sealed', moment(seal.sealedAt)],
    ['entities', seal.entities],
    ['windows', seal.windows],
    ['hash', seal.hash],
  ] as const;
  return `${details(pairs, style)}\n${totalsTable({ [seal.resource]: seal.totals }, style)}`;
}

function checkAnswer({ intact, seal, now }: SealCheck): Answer {
  return {
    json: { intact, seal, now },
    text: (style) =>
      intact
        ? `${style.good('as it was sealed')}\n\n${sealText(seal, style)}`
        : `${style.bad('not as it was sealed')}\n\n${sealText(seal, style)}\nnow, ${lookedAt(now)}\n${totalsTable({ [seal.resource]: now.totals }, style)}`,
    ...(intact ? {} : { exitCode: EXIT.different }),
  };
}
