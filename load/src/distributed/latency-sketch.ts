import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';

/** Of a value that k6 reports (milliseconds, for a time), how many parts are told apart: microseconds. */
const PARTS = 1_000;

/** Values of one series, kept so that those of many workers add up: percentiles of the sum are percentiles of all. */
export class LatencySketch {
  readonly #histogram: Histogram;
  #sum: number;

  private constructor(histogram: Histogram, sum: number) {
    this.#histogram = histogram;
    this.#sum = sum;
  }

  /** An empty one. Three significant digits: a percentile is off by at most 0.1 %. */
  static empty(): LatencySketch {
    return new LatencySketch(build({ numberOfSignificantValueDigits: 3, bitBucketSize: 'packed', autoResize: true }), 0);
  }

  get count(): number {
    return this.#histogram.totalCount;
  }

  /** The exact mean: sums are kept beside the buckets. 0 when nothing was recorded. */
  get mean(): number {
    return this.count === 0 ? 0 : this.#sum / this.count;
  }

  get max(): number {
    return this.count === 0 ? 0 : this.#histogram.maxValue / PARTS;
  }

  get min(): number {
    return this.percentile(0);
  }

  /** @param value At least 0, as k6 reports it. A negative one (a clock that was set back) counts as 0. */
  record(value: number): void {
    this.#histogram.recordValue(Math.max(0, Math.round(value * PARTS)));
    this.#sum += value;
  }

  /** @param percent 0 to 100. 0 when nothing was recorded. */
  percentile(percent: number): number {
    return this.count === 0 ? 0 : this.#histogram.getValueAtPercentile(percent) / PARTS;
  }

  /** Takes the other's values in. The other stays as it is. */
  add(other: LatencySketch): void {
    this.#histogram.add(other.#histogram);
    this.#sum += other.#sum;
  }

  /** As text for a worker's answer: a few kilobytes, however many values there were. */
  toJSON(): SketchJson {
    return { sum: this.#sum, histogram: encodeIntoCompressedBase64(this.#histogram) };
  }

  /** @throws Error when the text is no histogram */
  static fromJSON({ sum, histogram }: SketchJson): LatencySketch {
    return new LatencySketch(decodeFromCompressedBase64(histogram, 'packed'), sum);
  }
}

export interface SketchJson {
  readonly sum: number;
  readonly histogram: string;
}
