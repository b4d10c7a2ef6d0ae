import { type BucketState, debitInScale, type LimitState, type Move, type Seed } from '@millrace/core';

/**
 * What an item has to move on by when it takes over what another one lacks: to the mean of both, because a token takes
 * half the time from then on. Whatever is taken from it meanwhile is charged in full, which is a little more than the
 * mean would be; what is given back meanwhile refuses the write, because that would be counted twice.
 */
export function absorbMoves(kept: BucketState | undefined, retired: BucketState | undefined, nowUs: number): readonly Move[] {
  const names = new Set([...(kept?.limits.keys() ?? []), ...(retired?.limits.keys() ?? [])]);
  return [...names].flatMap((limit) => moveFor(limit, kept?.limits.get(limit), retired?.limits.get(limit), nowUs) ?? []);
}

function moveFor(limit: string, kept: LimitState | undefined, retired: LimitState | undefined, nowUs: number): Move | undefined {
  const keptUs = missingUs(kept, nowUs);
  const scale = kept?.scale ?? retired?.scale;
  const named = scale === undefined ? {} : { scale };
  const retiredUs = inScaleOf(kept, retired, missingUs(retired, nowUs));
  if (keptUs === 0 && retiredUs === 0) return undefined;
  if (kept === undefined || keptUs === 0)
    return { form: 'idle', limit, tokens: 0, chargeUs: Math.ceil(retiredUs / 2), toUs: nowUs, ...named };
  return { form: 'busy', limit, tokens: 0, chargeUs: Math.ceil((retiredUs - keptUs) / 2), fromUs: kept.tatUs, ...named };
}

/** What an item begins with that takes over what another one lacks, and lacks nothing itself. */
export function seedsAfter(retired: BucketState, nowUs: number): ReadonlyMap<string, Seed> {
  const owing = [...retired.limits].filter(([, held]) => missingUs(held, nowUs) > 0);
  return new Map(owing.map(([limit, held]) => [limit, { tatUs: nowUs + Math.ceil(missingUs(held, nowUs) / 2), scale: held.scale }]));
}

function missingUs(held: LimitState | undefined, nowUs: number): number {
  return held === undefined ? 0 : Math.max(0, held.tatUs - nowUs);
}

function inScaleOf(kept: LimitState | undefined, retired: LimitState | undefined, us: number): number {
  if (us === 0 || kept?.scale === undefined || retired?.scale === undefined) return us;
  return debitInScale(us, retired.scale, kept.scale);
}
