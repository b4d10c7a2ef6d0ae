/** All that was measured in this process, by the name of its metric. */
export const measured = new Map<string, number[]>();

class Metric {
  readonly #samples: number[];

  constructor(name: string) {
    this.#samples = measured.get(name) ?? [];
    measured.set(name, this.#samples);
  }

  add(value: number | boolean): void {
    this.#samples.push(Number(value));
  }
}

export { Metric as Counter, Metric as Rate, Metric as Trend };
