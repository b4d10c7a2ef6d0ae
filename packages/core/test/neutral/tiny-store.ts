import type {
  BucketState,
  BucketStore,
  BucketWrite,
  ConfigEntry,
  ConfigRef,
  ConfigStore,
  EntityRecord,
  LimitState,
  Move,
} from '../../src/index.js';

/** Just enough of a store to run an engine where there is nothing but the language. It keeps no scales: no rate changes here. */
export class TinyStore implements BucketStore, ConfigStore {
  readonly #buckets = new Map<string, BucketState>();
  readonly #entities: ReadonlyMap<string, EntityRecord>;

  constructor(entities: readonly EntityRecord[]) {
    this.#entities = new Map(entities.map((entity) => [entity.id, entity]));
  }

  async write({ ref, nowUs, ttlSec, configVersion, moves }: BucketWrite): ReturnType<BucketStore['write']> {
    const key = JSON.stringify(ref);
    const old = this.#buckets.get(key);
    if (!moves.every((move) => isAllowed(move, old?.limits.get(move.limit)?.tatUs))) return { kind: 'refused', state: old };

    const limits = new Map(old?.limits);
    for (const move of moves) {
      if (move.form === 'drop') limits.delete(move.limit);
      else limits.set(move.limit, moved(move, limits.get(move.limit), nowUs));
    }
    const state = { limits, seq: (old?.seq ?? nowUs) + 1, configVersion: configVersion ?? old?.configVersion, ttlSec };
    this.#buckets.set(key, state);
    return { kind: 'written', state };
  }

  async read(ref: BucketWrite['ref']): Promise<BucketState | undefined> {
    return this.#buckets.get(JSON.stringify(ref));
  }

  async readConfig(_: string, refs: readonly ConfigRef[]): Promise<readonly ConfigEntry[]> {
    return refs.map((ref) => {
      const entity = ref.level === 'lineage' ? this.#entities.get(ref.entity) : undefined;
      return entity === undefined ? {} : { entity };
    });
  }
}

function isAllowed(move: Move, tatUs: number | undefined): boolean {
  if (tatUs === undefined) return move.form === 'idle' || move.form === 'revive';
  if (move.form === 'busy') return tatUs >= move.fromUs && tatUs <= (move.toUs ?? Number.POSITIVE_INFINITY);
  if (move.form === 'rescale') return tatUs === move.fromTatUs;
  return move.form === 'credit' || ((move.form === 'idle' || move.form === 'drop') && tatUs <= move.toUs);
}

function moved(move: Exclude<Move, { readonly form: 'drop' }>, old: LimitState | undefined, nowUs: number): LimitState {
  const { tatUs, used, returned } = old ?? { tatUs: nowUs, used: 0n, returned: 0n };
  const tokens = BigInt(move.form === 'rescale' ? 0 : move.tokens);
  switch (move.form) {
    case 'busy':
      return { tatUs: tatUs + move.chargeUs, used: used + tokens, returned };
    case 'idle':
      return { tatUs: nowUs + move.chargeUs, used: used + tokens, returned };
    case 'credit':
      return { tatUs: tatUs - move.chargeUs, used, returned: returned + tokens };
    case 'revive':
      return { tatUs: nowUs, used, returned: returned + tokens };
    case 'rescale':
      return { tatUs: move.toTatUs, used, returned };
  }
}
