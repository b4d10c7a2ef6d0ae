import { type ConfigEntry, type ConfigRef, configRefs, type ResolvedConfig, resolveConfig } from '@millrace/core';
import { BoundedMap } from './bounded-map.js';
import type { Configs } from './configs.js';

/** What holds for an entity on a resource, and for each of the ancestors that are charged with it. */
export interface Resolution {
  readonly own: ResolvedConfig;
  readonly ancestors: ReadonlyMap<string, ResolvedConfig>;
}

/** A resolution, and how long it may be believed. */
interface Known {
  readonly resolution: Resolution;
  readonly untilMs: number;
  readonly changes: number;
  /** Items that it was made of. */
  readonly items: number;
}

/** A caller whose request does not fit the configuration is believed to know better at most this often. */
const DOUBT_MS = 1_000;

/** Finds what holds: one request where nothing is remembered, and one more for all ancestors together. */
export class Resolver {
  readonly #configs: Configs;
  readonly #namespaceId: string;
  readonly #nowMs: () => number;
  readonly #floors: BoundedMap<number>;
  readonly #doubted: BoundedMap<number>;
  readonly #known: BoundedMap<Known>;
  readonly #refreshing = new Map<string, Promise<Resolution>>();

  constructor(configs: Configs, namespaceId: string, nowMs: () => number, maxEntries: number) {
    this.#configs = configs;
    this.#namespaceId = namespaceId;
    this.#nowMs = nowMs;
    this.#floors = new BoundedMap(maxEntries);
    this.#doubted = new BoundedMap(maxEntries);
    this.#known = new BoundedMap(maxEntries);
  }

  /** What holds, if nothing has to be read for it: the work of an acquire that is refused from memory is mostly this. */
  known(entity: string, resource: string): Resolution | undefined {
    const known = this.#known.get(nameOf(entity, resource));
    if (known === undefined || known.changes !== this.#configs.changes || known.untilMs <= this.#nowMs()) return undefined;
    this.#configs.noteHits(known.items);
    return known.resolution;
  }

  /** What holds, as far as this process knows. */
  async resolve(entity: string, resource: string, deadlineMs: number): Promise<Resolution> {
    const known = this.known(entity, resource);
    if (known !== undefined) return known;
    const refs: ConfigRef[] = [];
    const { changes } = this.#configs;
    const resolution = await this.#resolve(entity, resource, (asked) => {
      refs.push(...asked);
      return this.#configs.get(this.#namespaceId, asked, deadlineMs);
    });
    const untilMs = this.#configs.believedUntilMs(this.#namespaceId, refs);
    if (untilMs !== undefined) this.#known.set(nameOf(entity, resource), { resolution, untilMs, changes, items: refs.length });
    return resolution;
  }

  /**
   * Reads again what turned out to be older than `version`, which the bucket of `met` has seen. Where even the table
   * knows nothing so new (tombstones have expired), what the table says now holds as of that version.
   */
  async refresh(entity: string, resource: string, met: string, version: number, deadlineMs: number): Promise<Resolution> {
    const isNewEnough = (resolution: Resolution): boolean => versionFor(resolution, entity, met) >= version;
    // Others may have read it again while this call's write was on its way.
    const known = await this.resolve(entity, resource, deadlineMs);
    if (isNewEnough(known)) return known;
    const shared = await this.#refreshing.get(nameOf(entity, resource));
    if (shared !== undefined && isNewEnough(shared)) return shared;
    const fresh = await this.#readAgain(entity, resource, deadlineMs);
    if (isNewEnough(fresh)) return fresh;
    this.#floors.set(nameOf(met, resource), version);
    this.#known.clear();
    return this.resolve(entity, resource, deadlineMs);
  }

  /**
   * Reads again before a request is refused that does not fit what is remembered: the limit that it asks of may have
   * been added a moment ago. Undefined where that was done a moment ago; a caller that is wrong must not cost a read each.
   */
  async doubt(entity: string, resource: string, deadlineMs: number): Promise<Resolution | undefined> {
    const name = nameOf(entity, resource);
    const nowMs = this.#nowMs();
    if (nowMs - (this.#doubted.get(name) ?? Number.NEGATIVE_INFINITY) < DOUBT_MS) return undefined;
    this.#doubted.set(name, nowMs);
    return this.#readAgain(entity, resource, deadlineMs);
  }

  /** One reading for all that want it now. */
  #readAgain(entity: string, resource: string, deadlineMs: number): Promise<Resolution> {
    const name = nameOf(entity, resource);
    let refreshing = this.#refreshing.get(name);
    if (refreshing === undefined) {
      refreshing = this.#resolve(entity, resource, (refs) => this.#configs.refresh(this.#namespaceId, refs, deadlineMs)).finally(() =>
        this.#refreshing.delete(name),
      );
      this.#refreshing.set(name, refreshing);
    }
    return refreshing;
  }

  async #resolve(
    entity: string,
    resource: string,
    read: (refs: readonly ConfigRef[]) => Promise<readonly ConfigEntry[]>,
  ): Promise<Resolution> {
    const entries = await read(configRefs(entity, resource));
    const own = this.#resolved(entity, resource, entries);
    const ancestors = new Map<string, ResolvedConfig>();
    if (own.charged.length > 0) {
      // The resource's and the system's items are the same for all of them, and at hand.
      const [resourceEntry = {}, systemEntry = {}] = entries.slice(3);
      const found = await read(own.charged.flatMap((ancestor) => configRefs(ancestor, resource).slice(0, 3)));
      for (const [index, ancestor] of own.charged.entries()) {
        const parts = [...found.slice(index * 3, index * 3 + 3), resourceEntry, systemEntry];
        ancestors.set(ancestor, this.#resolved(ancestor, resource, parts));
      }
    }
    return { own, ancestors };
  }

  #resolved(entity: string, resource: string, entries: readonly ConfigEntry[]): ResolvedConfig {
    const [lineage = {}, own = {}, entityDefault = {}, resourceEntry = {}, system = {}] = entries;
    const resolved = resolveConfig({ lineage, entity: own, entityDefault, resource: resourceEntry, system });
    const floor = this.#floors.get(nameOf(entity, resource));
    return floor === undefined || floor <= resolved.version ? resolved : { ...resolved, version: floor };
  }
}

function versionFor(resolution: Resolution, entity: string, met: string): number {
  // An ancestor that is charged no more cannot be met again.
  if (met === entity) return resolution.own.version;
  return resolution.ancestors.get(met)?.version ?? Number.POSITIVE_INFINITY;
}

// A name has no control character, so a line break tells its parts apart.
const nameOf = (entity: string, resource: string): string => `${entity}\n${resource}`;
