import { type BucketState, type BucketWrite, counterBase, FIRST_LAYOUT, type LimitState, type Seed } from '@millrace/core';

/** Whether an item has the layout that a write demands, and allows the step that it takes. */
export function mayReshape({ layout, reshape }: BucketWrite, old: BucketState | undefined): boolean {
  if (layout !== undefined) {
    const isMissing = old === undefined && (layout === FIRST_LAYOUT || reshape?.form === 'retire');
    if (!isMissing && (old === undefined || (old.layout ?? FIRST_LAYOUT) !== layout)) return false;
  }
  switch (reshape?.form) {
    case 'split': {
      const { limits, absent } = reshape;
      const kept = old?.limits ?? new Map();
      return old?.nextLayout === undefined && limits.every((limit) => kept.has(limit)) && absent.every((limit) => !kept.has(limit));
    }
    case 'birth':
      return old?.layout === undefined || old.layout < reshape.to;
    case 'intend':
      return old?.nextLayout === undefined;
    default:
      return true;
  }
}

type Shape = Pick<BucketState, 'layout' | 'nextLayout' | 'seeds'>;

/** What a write leaves of an item's layout; a birth puts its limits into `limits`. */
export function reshaped(write: BucketWrite, old: BucketState | undefined, limits: Map<string, LimitState>): Shape {
  const { reshape, nowUs } = write;
  const before = { layout: old?.layout, nextLayout: old?.nextLayout, seeds: old?.seeds };
  switch (reshape?.form) {
    case 'split': {
      const taken = reshape.limits.map((limit): [string, Seed] => {
        const held = old?.limits.get(limit);
        return [limit, { tatUs: held?.tatUs ?? 0, scale: held?.scale }];
      });
      return shape({ ...before, layout: reshape.to, seeds: new Map([...(before.seeds ?? []), ...taken]) });
    }
    case 'birth':
      for (const [limit, seed] of reshape.seeds) limits.set(limit, born(seed, limits.get(limit), nowUs));
      return shape({ ...before, layout: reshape.to });
    case 'born': {
      const seeds = new Map(before.seeds);
      for (const limit of reshape.limits) seeds.delete(limit);
      return shape({ ...before, seeds });
    }
    case 'intend':
      return shape({ ...before, nextLayout: reshape.to });
    case 'retire':
      return shape({ ...before, layout: reshape.to });
    case 'absorb':
      return shape({ ...before, layout: reshape.to, nextLayout: undefined });
    default:
      return shape(before);
  }
}

function born({ tatUs, scale }: Seed, old: LimitState | undefined, nowUs: number): LimitState {
  const base = counterBase(nowUs);
  const left = scale ?? old?.scale;
  return { tatUs, used: old?.used ?? base, returned: old?.returned ?? base, ...(left === undefined ? {} : { scale: left }) };
}

/** An attribute that an item has not is no property here either. */
function shape({ layout, nextLayout, seeds }: { [Key in keyof Shape]: Shape[Key] | undefined }): Shape {
  return {
    ...(layout === undefined ? {} : { layout }),
    ...(nextLayout === undefined ? {} : { nextLayout }),
    ...(seeds === undefined || seeds.size === 0 ? {} : { seeds }),
  };
}
