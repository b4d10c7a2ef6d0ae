import { usageKey } from '@millrace/core';
import { narrowed, type UsageWindowItem } from '@millrace/ledger';
import { checkActor } from '../admin/administration.js';
import { auditWrites } from '../admin/audit-event.js';
import { editWindow, type WindowEdit, widening } from './book.js';
import { type Checked, checkBooks } from './check-books.js';
import { entitiesWithUsage, resourcesUsed } from './entities-with-usage.js';
import type { Examined, UsageFinding } from './examine.js';
import {
  type CheckedTrust,
  checkTrust,
  type RepairUsageOptions,
  type UsageInFlight,
  type UsageProgress,
  type UsageRepair,
  type UsageVerdict,
  type VerifyUsageOptions,
} from './trust-options.js';
import type { UsageParts } from './usage-parts.js';

/** Findings beyond these are only counted. */
const MAX_TOLD = 1_000;

/** Whether the ledger is whole; writes nothing. */
export async function verifyUsage(parts: UsageParts, options: VerifyUsageOptions): Promise<UsageVerdict> {
  const checked = checkTrust(options);
  return parts.run('verify usage', async () => {
    const [found, inFlight]: [UsageFinding[], UsageInFlight[]] = [[], []];
    const progress = await eachBooks(parts, checked, async (books) => {
      tell(
        found,
        books.examined.map(({ finding }) => finding),
      );
      tell(inFlight, books.inFlight);
    });
    return { clean: progress.findings === 0, ...progress, found, inFlight };
  });
}

/** Books what is missing, window by window, each by a conditional write that leaves an event. It may be ended anywhere and begun again. */
export async function repairUsage(parts: UsageParts, options: RepairUsageOptions): Promise<UsageRepair> {
  const { actor: _, ...rest } = options;
  const [checked, actor] = [checkTrust(rest), checkActor(parts, options)];
  return parts.run('repair usage', async () => {
    const [repaired, left]: [UsageFinding[], UsageFinding[]] = [[], []];
    let [repairedCount, leftCount] = [0, 0];
    const progress = await eachBooks(parts, checked, async ({ examined, retention }) => {
      for (const group of byWindow(examined.filter(isRepairable))) {
        await repairWindow(parts, group, retention, actor);
        tell(
          repaired,
          group.map(({ finding }) => finding),
        );
        repairedCount += group.length;
      }
      const others = examined.filter((one) => !isRepairable(one)).map(({ finding }) => finding);
      tell(left, others);
      leftCount += others.length;
    });
    return { clean: leftCount === 0, ...progress, repairedCount, repaired, left };
  });
}

async function eachBooks(allParts: UsageParts, options: CheckedTrust, visit: (books: Checked) => Promise<void>): Promise<UsageProgress> {
  const parts = { ...allParts, source: options.source };
  let [entities, windows, findings] = [0, 0, 0];
  for await (const entity of options.entity === undefined ? entitiesWithUsage(parts) : [options.entity]) {
    for (const resource of options.resource === undefined ? await resourcesUsed(parts, entity) : [options.resource]) {
      const books = await checkBooks(parts, entity, resource, options);
      windows += books.windowCount;
      findings += books.examined.length;
      await visit(books);
    }
    entities += 1;
    options.onProgress?.({ entities, windows, findings });
  }
  return { entities, windows, findings };
}

function tell<T>(told: T[], more: readonly T[]): void {
  told.push(...more.slice(0, Math.max(0, MAX_TOLD - told.length)));
}

function isRepairable({ widen, narrow }: Examined): boolean {
  return widen !== undefined || narrow !== undefined;
}

function byWindow(examined: readonly Examined[]): readonly (readonly Examined[])[] {
  const groups = new Map<string, Examined[]>();
  for (const one of examined) {
    const { partition, sort } = usageKey(refOf(one));
    const name = `${partition} ${sort}`;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups.values()];
}

function refOf({ widen, narrow }: Examined): UsageWindowItem['ref'] {
  const ref = widen?.ref ?? narrow?.after;
  if (ref === undefined) throw new Error('a finding that nothing repairs has no window to write');
  return ref;
}

async function repairWindow(
  parts: UsageParts,
  group: readonly Examined[],
  retention: Checked['retention'],
  actor: string | undefined,
): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  const edit: WindowEdit = (known) => group.reduce<UsageWindowItem | undefined>((window, one) => editOf(one)(window), known);
  const { entity, resource } = first.finding;
  const event = {
    id: parts.newEventId(),
    action: 'usage.repair',
    subject: `entity/${entity}`,
    resource,
    ...(actor === undefined ? {} : { actor }),
    after: group.map(({ finding }) => finding),
  } as const;
  await editWindow(parts.items, refOf(first), edit, retention, auditWrites(parts.namespaceId, event, parts.nowMs()));
}

function editOf({ widen, narrow }: Examined): WindowEdit {
  if (widen !== undefined) return widening(widen);
  return (known) => {
    const step = narrow === undefined ? undefined : known?.limits.get(narrow.limit);
    // Somebody has done it already.
    if (known === undefined || narrow === undefined || step?.used.from !== narrow.missing.used.to) return known;
    return step.returned.from === narrow.missing.returned.to ? narrowed(known, [narrow]) : known;
  };
}
