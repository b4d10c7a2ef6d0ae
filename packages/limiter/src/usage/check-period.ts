import { type ItemKey, StoreFailure, windowNames } from '@millrace/core';
import { type CheckedDay, type CheckParts, checkDay, type DayOfResource } from './check-day.js';
import { isMissing, type UsageFinding } from './examine.js';
import { itemsInTime } from './items-in-time.js';

/** Where a walk over the windows of a day goes on: in which of their names in the index, and behind which of its keys. */
export interface IndexPlace {
  readonly name: number;
  readonly after?: ItemKey;
}

export interface CheckPeriodOptions {
  /** Where to begin. @default at the beginning */
  readonly place?: IndexPlace | undefined;
  /**
   * Whether entities that cannot be read for want of an answer are passed over. @default the check ends before them, to be begun there
   * again
   */
  readonly passOver?: boolean;
  /** Asked before each request; once it says no, nothing more is begun. @default yes */
  readonly mayGoOn?: () => boolean;
}

/** What was found in a part of a day. */
export interface PeriodSlice {
  /** Entities whose books were looked at. */
  readonly checked: number;
  /** What is wrong, the first thousand; `findings` counts all. */
  readonly found: readonly UsageFinding[];
  readonly findings: number;
  /** Those of them where records are missing. */
  readonly gaps: number;
  readonly inFlight: number;
  /** Windows whose entities could not be looked at, and why. */
  readonly failures: readonly { readonly key: ItemKey; readonly error: unknown }[];
  /** Where the next part begins; absent where all was looked at. */
  readonly next?: IndexPlace;
  /** Why it ended before `next`; absent where there was no more time. */
  readonly stoppedBy?: unknown;
}

const KEYS_PER_PAGE = 50;
const AT_ONCE = 10;
const MAX_TOLD = 1_000;

/** There is no time for another request. */
class CheckInterrupted extends Error {
  override readonly name = 'CheckInterrupted';
}

/**
 * Checks the books of all entities that used a resource in a day that nobody writes to any more: those that the index has. It may be cut
 * short after any page of it (50 windows): what was looked at until then is told, and the next call goes on behind it, so of parts that
 * follow each other each entity is told by one. Costs a read for each page, and what {@link checkDay} does for each entity.
 */
export async function checkPeriod(parts: CheckParts, day: DayOfResource, options: CheckPeriodOptions = {}): Promise<PeriodSlice> {
  const { passOver = false, mayGoOn = () => true } = options;
  const interrupt = (): Error => new CheckInterrupted('there was no time left for another request');
  const guarded = { ...parts, items: itemsInTime(parts.items, mayGoOn, interrupt) };
  const tally = new Tally();
  let place = options.place ?? { name: 0 };
  for (;;) {
    try {
      const { keys, next } = await readPage(guarded, day, place);
      tally.add(await checkPage(guarded, day, keys, passOver));
      if (next === undefined) return tally.told();
      place = next;
    } catch (error) {
      return { ...tally.told(), next: place, ...(error instanceof CheckInterrupted ? {} : { stoppedBy: error }) };
    }
  }
}

type Looked = { readonly key: ItemKey; readonly checked: CheckedDay | undefined } | { readonly key: ItemKey; readonly error: unknown };

/** What the pages that are complete came to. */
class Tally {
  readonly #found: UsageFinding[] = [];
  readonly #failures: { readonly key: ItemKey; readonly error: unknown }[] = [];
  #counts = { checked: 0, findings: 0, gaps: 0, inFlight: 0 };

  add(page: readonly Looked[]): void {
    for (const looked of page) {
      if ('error' in looked) this.#failures.push(looked);
      else if (looked.checked !== undefined) this.#addBooks(looked.checked);
    }
  }

  told(): PeriodSlice {
    return { ...this.#counts, found: this.#found, failures: this.#failures };
  }

  #addBooks({ found, inFlight }: CheckedDay): void {
    const { checked, findings, gaps, inFlight: before } = this.#counts;
    this.#counts = {
      checked: checked + 1,
      findings: findings + found.length,
      gaps: gaps + found.filter(isMissing).length,
      inFlight: before + inFlight,
    };
    this.#found.push(...found.slice(0, Math.max(0, MAX_TOLD - this.#found.length)));
  }
}

interface KeysOfPage {
  /** The first window of each entity on the page. */
  readonly keys: readonly ItemKey[];
  readonly next?: IndexPlace;
}

async function readPage({ items, namespaceId }: CheckParts, { resource, startMs }: DayOfResource, place: IndexPlace): Promise<KeysOfPage> {
  const names = windowNames(namespaceId, 'day', resource, startMs);
  const name = names[place.name];
  if (name === undefined) return { keys: [] };
  const page = await items.indexed(name, place.after, KEYS_PER_PAGE);
  const first = new Map<string, ItemKey>();
  for (const key of page.keys) {
    const known = first.get(key.partition);
    if (known === undefined || key.sort < known.sort) first.set(key.partition, key);
  }
  const keys = [...first.values()];
  if (page.next !== undefined) return { keys, next: { name: place.name, after: page.next } };
  return place.name + 1 < names.length ? { keys, next: { name: place.name + 1 } } : { keys };
}

async function checkPage(parts: CheckParts, day: DayOfResource, keys: readonly ItemKey[], passOver: boolean): Promise<readonly Looked[]> {
  const looked: Looked[] = [];
  for (let begun = 0; begun < keys.length; begun += AT_ONCE) {
    const turn = keys.slice(begun, begun + AT_ONCE);
    const settled = await Promise.allSettled(turn.map(async (key) => ({ key, checked: await checkDay(parts, day, key) })));
    for (const [index, one] of settled.entries()) {
      const key = turn[index];
      if (one.status === 'fulfilled') looked.push(one.value);
      else if (one.reason instanceof CheckInterrupted || (one.reason instanceof StoreFailure && !passOver)) throw one.reason;
      else if (key !== undefined) looked.push({ key, error: one.reason });
    }
  }
  return looked;
}
