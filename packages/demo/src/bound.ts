/** The part of a limit that bounds it: `capacity` at once, and `refill` more every `periodMs`. */
export interface Bound {
  readonly capacity: number;
  readonly refill: number;
  readonly periodMs: number;
}

/**
 * Tokens that moved, as the caller saw it: at some moment between `fromMs` and `toMs`.
 *
 * A reservation was admitted by a limit. A charge was taken afterwards, whatever the limit said; a credit was given back.
 */
export interface Movement {
  readonly kind: 'reservation' | 'charge' | 'credit';
  readonly tokens: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** How close callers came to a bound, and whether they passed it. */
export interface Fullness {
  /** The most tokens that were certainly out at once: taken, and neither given back nor refilled yet. */
  readonly peakTokens: number;
  /** How far a reservation certainly went beyond the capacity; 0 where the bound held. */
  readonly beyondTokens: number;
}

/**
 * Checks that in no window of time more was admitted than `capacity + rate × its length`, what was given back and what
 * was charged afterwards included. It knows nothing of the limiter: only what callers saw.
 *
 * This is Lindley's recursion `level = max(0, level − rate × gap) + tokens`, unrolled into the windows whose maximum it
 * is, because callers know when each movement happened only to within a round trip. Each doubt is decided for the
 * limiter, so what is found is certain: a window runs from the first sending to the last reply; what may have been given
 * back in it, was; a charge counts once a reservation that was sent after its reply has been admitted.
 */
export function checkBound(bound: Bound, movements: readonly Movement[]): Fullness {
  const tokensPerMs = bound.refill / bound.periodMs;
  const originMs = movements.reduce((least, { fromMs }) => Math.min(least, fromMs), Number.POSITIVE_INFINITY);
  const windows = new Windows(movements, originMs, tokensPerMs);
  const pendingCharges: Movement[] = [];
  let peakTokens = 0;

  for (const movement of [...movements].sort(byCertainty)) {
    if (movement.kind === 'credit') windows.addToThoseOpenBy(movement.toMs, -movement.tokens);
    else if (movement.kind === 'charge') pendingCharges.push(movement);
    else {
      while (pendingCharges[0] !== undefined && pendingCharges[0].toMs <= movement.fromMs) {
        const { fromMs, tokens } = pendingCharges.shift() as Movement;
        windows.addToThoseOpenBy(fromMs, tokens);
      }
      const fullest = windows.addToThoseOpenBy(movement.fromMs, movement.tokens);
      peakTokens = Math.max(peakTokens, fullest - tokensPerMs * (movement.toMs - originMs));
    }
  }
  // Less than one token is rounding, which the limiter is allowed; a millionth is the arithmetic of this function.
  return { peakTokens: Math.floor(peakTokens + 1e-6), beyondTokens: Math.max(0, Math.floor(peakTokens - bound.capacity + 1e-6)) };
}

/** By when a movement is sure to have happened, or for a credit, by when it may have. */
function byCertainty(a: Movement, b: Movement): number {
  return certainMs(a) - certainMs(b) || ORDER[a.kind] - ORDER[b.kind];
}

const ORDER = { credit: 0, charge: 1, reservation: 2 } as const;

function certainMs(movement: Movement): number {
  return movement.kind === 'credit' ? movement.fromMs : movement.toMs;
}

/** The windows that begin where a movement was sent, each with what moved in it, and what flowed back before it. */
class Windows {
  readonly #startsMs: Float64Array;
  readonly #tokens: Float64Array;

  constructor(movements: readonly Movement[], originMs: number, tokensPerMs: number) {
    this.#startsMs = Float64Array.from(new Set(movements.map(({ fromMs }) => fromMs))).sort();
    this.#tokens = this.#startsMs.map((startMs) => tokensPerMs * (startMs - originMs));
  }

  /** Adds tokens to every window that had begun by then, and returns the most that one of those now holds. */
  addToThoseOpenBy(atMs: number, tokens: number): number {
    let most = Number.NEGATIVE_INFINITY;
    for (let index = 0; index < this.#startsMs.length; index += 1) {
      if ((this.#startsMs[index] ?? 0) > atMs) break;
      const held = (this.#tokens[index] ?? 0) + tokens;
      this.#tokens[index] = held;
      if (held > most) most = held;
    }
    return most;
  }
}
