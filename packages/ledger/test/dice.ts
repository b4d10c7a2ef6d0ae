import { FakeRuntime } from '@millrace/testing';

/** Chance that is the same for the same seed. */
export class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = new FakeRuntime({ seed }).random;
  }

  happens(chance: number): boolean {
    return this.#random() < chance;
  }

  /** A whole number between two, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.#random() * (Math.floor(max) - min + 1));
  }

  /** One of several, each as likely as its weight says. */
  pick<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.#random() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    return choices[choices.length - 1]?.[1] as T;
  }

  shuffled<T>(values: readonly T[]): T[] {
    const shuffled = [...values];
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = this.integer(0, last);
      [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
    }
    return shuffled;
  }
}
