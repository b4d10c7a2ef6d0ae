import { FakeRuntime } from '../fake-runtime.js';

/** Chance in the shapes that a simulation needs, all from one seed. */
export class Dice {
  readonly #random: FakeRuntime['random'];

  constructor(random: FakeRuntime['random']) {
    this.#random = random;
  }

  /**
   * Dice for one purpose. What is drawn from them changes nothing that is drawn for another, so that an engine that writes
   * more or less often still meets the same schedule.
   */
  static for(seed: number, ...purpose: readonly (string | number)[]): Dice {
    let hash = 0x811c9dc5;
    for (const character of [seed, ...purpose].join('/')) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
    return new Dice(new FakeRuntime({ seed: hash }).random);
  }

  /** A number from `min` up to, not including, `max`. */
  between(min: number, max: number): number {
    return min + this.#random() * (max - min);
  }

  /** A whole number between two, both included. */
  integer(min: number, max: number): number {
    return Math.floor(this.between(min, max + 1));
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.integer(0, choices.length - 1)] as T;
  }

  /** The time to the next of events that come independently of one another. */
  exponential(mean: number): number {
    return -Math.log(1 - this.#random()) * mean;
  }
}
