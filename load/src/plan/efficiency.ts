/** One measurement: so many users on one worker, for a while. */
export interface Step {
  readonly users: number;
  readonly acquires: number;
  readonly perSecond: number;
  /** Of acquires, in milliseconds. */
  readonly p50: number;
  readonly p95: number;
  /** Of one core; undefined where the system does not tell. */
  readonly cpuPercent: number | undefined;
}

/** A measurement beside the one with a single user. */
interface RatedStep extends Step {
  /** The baseline's p50 over this one's: 1 is as quick as alone, 0.5 is half as quick. */
  readonly efficiency: number;
}

/** How long is looked, and how far. */
export interface SearchBounds {
  /** The most users that are tried. */
  readonly maxUsers: number;
  /** The least efficiency that will do. */
  readonly threshold: number;
  readonly baselineMs: number;
  readonly stepMs: number;
  /** The most measurements, the baseline not counted. */
  readonly mostSteps: number;
}

/** What the search found. */
export interface Found {
  readonly threshold: number;
  readonly baseline: Step;
  /** All measurements, the baseline among them, by users. */
  readonly steps: readonly RatedStep[];
  /** The most users that kept the threshold. */
  readonly users: number;
  /** Whether more were never tried: the bound of the search was kept as well. */
  readonly isBound: boolean;
}

/** Makes one measurement. */
export type Measure = (users: number, durationMs: number) => Promise<Step>;

/** A median of fewer says little. */
const LEAST_ACQUIRES = 100;
const LONGEST_MS = 600_000;
const BASELINES = 3;
/** Closer than this share of the users, two measurements differ by noise. */
const CLOSE = 0.05;

/**
 * Finds how many users one worker carries before they wait for it and not for DynamoDB. One user alone is the baseline; the
 * bound is tried next; between the two it is the number at which the efficiency, taken for a straight line, meets the
 * threshold, and where the line misses twice on one side, the middle.
 *
 * @throws Error if one user alone makes too few acquires for a median
 */
export async function searchUsers(bounds: SearchBounds, measure: Measure): Promise<Found> {
  const { maxUsers, threshold } = bounds;
  const { baseline, durationMs } = await baselineOf(bounds, measure);
  const stepMs = Math.max(bounds.stepMs, durationMs > bounds.baselineMs ? durationMs : 0);
  const steps: RatedStep[] = [];
  const rate = (step: Step): RatedStep => {
    const rated = { ...step, efficiency: baseline.p50 / step.p50 };
    steps.push(rated);
    return rated;
  };
  const alone = rate(baseline);
  const most = maxUsers === 1 ? alone : rate(await measure(maxUsers, stepMs));
  const isBound = most.efficiency >= threshold;
  const best = isBound ? most : await narrow(alone, most, bounds, async (users) => rate(await measure(users, stepMs)));
  return { threshold, baseline, steps: steps.sort((x, y) => x.users - y.users), users: best.users, isBound };
}

/** The most users between one that keeps the threshold and one that does not. */
async function narrow(
  kept: RatedStep,
  missed: RatedStep,
  { threshold, mostSteps }: SearchBounds,
  measure: (users: number) => Promise<RatedStep>,
): Promise<RatedStep> {
  let [low, high] = [kept, missed];
  // How often in a row the guesses fell on one side.
  let [inRow, wasKept]: [number, boolean | undefined] = [0, undefined];
  for (let steps = 1; steps < mostSteps && high.users - low.users > Math.max(1, CLOSE * high.users); steps++) {
    const step = await measure(between(low, high, inRow >= 2 ? undefined : threshold));
    const isKept = step.efficiency >= threshold;
    if (isKept) low = step;
    else high = step;
    inRow = isKept === wasKept ? inRow + 1 : 1;
    wasKept = isKept;
  }
  return low;
}

/** One user alone, for as long as a median takes. */
async function baselineOf({ baselineMs }: SearchBounds, measure: Measure): Promise<{ baseline: Step; durationMs: number }> {
  let durationMs = baselineMs;
  let baseline = await measure(1, durationMs);
  for (let tries = 1; baseline.acquires < LEAST_ACQUIRES && tries < BASELINES && durationMs < LONGEST_MS; tries++) {
    durationMs = Math.min(LONGEST_MS, Math.ceil((1.2 * durationMs * LEAST_ACQUIRES) / Math.max(1, baseline.acquires)));
    baseline = await measure(1, durationMs);
  }
  if (baseline.acquires < LEAST_ACQUIRES)
    throw new Error(`one user alone made ${baseline.acquires} acquires in ${durationMs / 1_000} s, and a median takes ${LEAST_ACQUIRES}`);
  return { baseline, durationMs };
}

/** Where the line between the two meets the threshold; the middle where that is not wanted. */
function between(low: RatedStep, high: RatedStep, threshold: number | undefined): number {
  const share = threshold === undefined ? 0.5 : (low.efficiency - threshold) / Math.max(1e-9, low.efficiency - high.efficiency);
  const guess = Math.round(low.users + (high.users - low.users) * Math.min(1, Math.max(0, share)));
  return Math.min(high.users - 1, Math.max(low.users + 1, guess));
}
