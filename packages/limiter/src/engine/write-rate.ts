import { BoundedMap } from './bounded-map.js';

/** What one item was seen to do. */
interface Track {
  seq: number;
  fromUs: number;
  /** How many windows in a row were busy. */
  busyWindows: number;
}

/** A shorter time says nothing about how many writes there are in a second. */
const WINDOW_US = 1_000_000;
/** A longer one does not say that they came just now. */
const STALE_US = 10_000_000;

/**
 * How often items are written to, by all processes together: each write counts the item's `seq` on by one, so two replies
 * tell how many came in between. It costs no attribute and no condition, and it is a rate: however many writes there were
 * in an item's life, those of the last second are what counts.
 */
export class WriteRates {
  readonly #tracks: BoundedMap<Track>;
  readonly #busyPerSec: number;

  constructor(maxBuckets: number, busyPerSec: number) {
    this.#tracks = new BoundedMap(maxBuckets);
    this.#busyPerSec = busyPerSec;
  }

  /** Notes what a reply said. Returns for how many windows in a row the item has been busy. */
  note(bucket: string, seq: number, nowUs: number): number {
    const track = this.#tracks.get(bucket);
    const passedUs = track === undefined ? 0 : nowUs - track.fromUs;
    if (track === undefined || passedUs > STALE_US || seq < track.seq) {
      this.#tracks.set(bucket, { seq, fromUs: nowUs, busyWindows: 0 });
      return 0;
    }
    if (passedUs < WINDOW_US) return track.busyWindows;
    const perSec = ((seq - track.seq) * 1_000_000) / passedUs;
    track.busyWindows = perSec >= this.#busyPerSec ? track.busyWindows + 1 : 0;
    track.seq = seq;
    track.fromUs = nowUs;
    return track.busyWindows;
  }

  /** Begins to count anew: the item has another part of the bucket's writes than before. */
  restart(bucket: string): void {
    this.#tracks.delete(bucket);
  }
}
