import { ATTRIBUTE, type ItemKey, MillraceError, manifestLockKey, nextVersion, SCHEMA_VERSION } from '@millrace/core';
import type { Administration, Item, ItemWrite } from '@millrace/limiter/admin';

/** Who applies a manifest, since when, and until when if nothing more is heard of it. */
export interface LockHolder {
  readonly owner: string;
  readonly since: Date;
  readonly until: Date;
}

/** Somebody else applies the manifest, or has taken over from us. Wait, or take over if that one is known to be dead. */
export class ManifestLocked extends MillraceError<'CONFLICT'> {
  override readonly name = 'ManifestLocked';
  readonly manifest: string;
  readonly holder: LockHolder | undefined;

  constructor(what: string, manifest: string, holder: LockHolder | undefined) {
    super('CONFLICT', `${what}${holder === undefined ? '' : `: ${describeHolder(holder)}`}`);
    this.manifest = manifest;
    this.holder = holder;
  }
}

/** How a lock is taken. */
export interface LockOptions {
  readonly owner: string;
  /** Take it whoever holds it. */
  readonly takeOver: boolean;
  /** How long it holds after the last sign of life. */
  readonly leaseMs: number;
}

/** A lock that nobody has held for so long is forgotten. */
const FORGET_SEC = 30 * 86_400;
const MAX_CONFLICTS = 8;

/**
 * The right to apply a manifest. Each taking has a number above all before it, and every transaction of an apply checks
 * that number: one that was taken over writes nothing more, however late it comes and whatever its clock says. The clock
 * only decides when a silent owner counts as dead.
 */
export class ManifestLock {
  readonly #parts: Administration;
  readonly #key: ItemKey;
  readonly #leaseMs: number;
  readonly #number: number;

  private constructor(parts: Administration, key: ItemKey, leaseMs: number, number: number) {
    this.#parts = parts;
    this.#key = key;
    this.#leaseMs = leaseMs;
    this.#number = number;
  }

  /** Takes the lock of a manifest. One read and one write. @throws ManifestLocked if somebody else holds it */
  static async take(parts: Administration, manifest: string, { owner, takeOver, leaseMs }: LockOptions): Promise<ManifestLock> {
    const key = manifestLockKey(parts.namespaceId, manifest);
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const [item] = await parts.items.get([key]);
      const holder = holderOf(item);
      const nowMs = parts.nowMs();
      if (holder !== undefined && holder.owner !== owner && holder.until.getTime() > nowMs && !takeOver) {
        throw new ManifestLocked(`manifest "${manifest}" is being applied`, manifest, holder);
      }
      const version = Number(item?.[ATTRIBUTE.version] ?? 0);
      const number = nextVersion({ version }, nowMs);
      const lock = new ManifestLock(parts, key, leaseMs, number);
      const put: ItemWrite = {
        kind: 'put',
        item: {
          [ATTRIBUTE.partitionKey]: key.partition,
          [ATTRIBUTE.sortKey]: key.sort,
          [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION,
          [ATTRIBUTE.version]: number,
          owner,
          since: nowMs,
          ...lock.#lease(),
        },
        when: [
          item === undefined ? { attribute: ATTRIBUTE.partitionKey, is: 'absent' } : { attribute: ATTRIBUTE.version, equals: version },
        ],
      };
      if ((await parts.items.transact([put])) === 'done') return lock;
    }
    throw new ManifestLocked(`manifest "${manifest}" is being applied by several at once`, manifest, undefined);
  }

  /** Goes into each transaction: it happens only if the lock is still ours, and renews it. */
  guard(): readonly ItemWrite[] {
    return [{ kind: 'update', key: this.#key, set: this.#lease(), when: this.#isOurs() }];
  }

  /** Gives the lock back, if it is still ours. The item stays for a while, so that its number goes on growing. */
  async release(): Promise<void> {
    await this.#parts.items.transact([{ kind: 'update', key: this.#key, remove: ['owner', 'since', 'until'], when: this.#isOurs() }]);
  }

  /** Who holds the lock now; undefined if nobody does. */
  async holder(): Promise<LockHolder | undefined> {
    const [item] = await this.#parts.items.get([this.#key]);
    return holderOf(item);
  }

  #lease(): Readonly<Record<string, number>> {
    const nowMs = this.#parts.nowMs();
    return { until: nowMs + this.#leaseMs, [ATTRIBUTE.ttlSec]: Math.ceil(nowMs / 1000) + FORGET_SEC };
  }

  #isOurs(): readonly [{ readonly attribute: string; readonly equals: number }] {
    return [{ attribute: ATTRIBUTE.version, equals: this.#number }];
  }
}

function holderOf(item: Item | undefined): LockHolder | undefined {
  if (item?.['owner'] === undefined) return undefined;
  return { owner: String(item['owner']), since: new Date(Number(item['since'])), until: new Date(Number(item['until'])) };
}

function describeHolder({ owner, since, until }: LockHolder): string {
  return `${JSON.stringify(owner)} has held it since ${since.toISOString()}, until ${until.toISOString()} if nothing more is heard of it`;
}
