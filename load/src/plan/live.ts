/** What is known of a run while it goes on. */
export interface Live {
  /** Turns that have ended. */
  readonly turns: number;
  /** The share of acquires that were refused. */
  readonly refused: number;
  /** The share of calls that failed. */
  readonly errors: number;
}

/** What several workers say together. Shares count by turns, which is near enough for a line that is looked at for a second. */
export function together(lives: readonly Live[]): Live {
  const turns = lives.reduce((sum, live) => sum + live.turns, 0);
  const share = (of: (live: Live) => number): number => lives.reduce((sum, live) => sum + of(live) * live.turns, 0) / Math.max(1, turns);
  return { turns, refused: share(({ refused }) => refused), errors: share(({ errors }) => errors) };
}

/** The rate is that of so long. */
const WINDOW_MS = 5_000;

interface Seen {
  readonly live: Live;
  readonly atMs: number;
}

/** How far a run has come, as one line. The rate is that of the last seconds: what was before a change says nothing of now. */
export class RunProgress {
  readonly #durationMs: number;
  #startedAtMs: number;
  /** Those of the window, oldest first, after one that is older. */
  #seen: readonly Seen[] = [];

  constructor(durationMs: number, nowMs: number) {
    this.#durationMs = durationMs;
    this.#startedAtMs = nowMs;
  }

  /** Turns do not begin at once where workers have to be started. */
  begins(atMs: number): void {
    this.#startedAtMs = atMs;
  }

  /** Takes in what was heard last. */
  heard(live: Live, nowMs: number): void {
    const seen = [...this.#seen, { live, atMs: nowMs }];
    // Workers are heard one by one, so two words may be a millisecond apart.
    const within = seen.findIndex(({ atMs }) => atMs > nowMs - WINDOW_MS);
    this.#seen = seen.slice(Math.max(0, within - 1));
  }

  /** `12 s of 60 s, 3180 turns, 265/s, 3 % refused, no errors` */
  text(nowMs: number): string {
    if (nowMs < this.#startedAtMs) return `turns begin in ${Math.ceil((this.#startedAtMs - nowMs) / 1_000)} s`;
    const [elapsedSec, ofSec] = [Math.floor((nowMs - this.#startedAtMs) / 1_000), Math.round(this.#durationMs / 1_000)];
    const time = elapsedSec <= ofSec ? `${elapsedSec} s of ${ofSec} s` : `${ofSec} s are over, the last turns end`;
    return [time, ...this.#figures()].join(', ');
  }

  #figures(): readonly string[] {
    const last = this.#seen.at(-1);
    if (last === undefined) return [];
    const { live, atMs } = last;
    const [oldest] = this.#seen;
    const since = oldest !== undefined && oldest !== last ? oldest : { live: { turns: 0, refused: 0, errors: 0 }, atMs: this.#startedAtMs };
    const perSecond = ((live.turns - since.live.turns) * 1_000) / Math.max(1, atMs - since.atMs);
    return [
      `${live.turns} turns`,
      `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`,
      ...(live.refused > 0 ? [`${percent(live.refused)} refused`] : []),
      live.errors > 0 ? `${percent(live.errors)} errors` : 'no errors',
    ];
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 2 : 0)} %`;
}
