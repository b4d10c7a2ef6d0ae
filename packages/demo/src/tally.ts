import type { LimitName } from './organisation.js';

/** What the clients of one API key admit to, from the answers that they got. */
export interface KeyTally {
  answered: number;
  tokensUsed: number;
  failed: number;
  gaveUp: number;
  /** Still waiting for its turn when the time was up. */
  cutOff: number;
  /** Neither an answer, a 429 nor the model's failure: what should not happen. */
  unexpected: number;
  longestWaitMs: number;
}

/** What all clients saw, as they saw it: over HTTP, without a look into the gateway. */
export class Tally {
  readonly #keys = new Map<string, KeyTally>();
  /** By entity: the 429s in which one of its limits stood in the way. */
  readonly #refusals = new Map<string, number>();
  /** By entity, which of its limits those were. */
  readonly #blocking = new Map<string, Set<LimitName>>();
  readonly refused = { answers: 0, withRetryAfter: 0, waitedAsTold: 0, cameBackEarly: 0 };
  firstUnexpected: string | undefined;

  of(apiKey: string): KeyTally {
    let tally = this.#keys.get(apiKey);
    if (tally === undefined) {
      tally = { answered: 0, tokensUsed: 0, failed: 0, gaveUp: 0, cutOff: 0, unexpected: 0, longestWaitMs: 0 };
      this.#keys.set(apiKey, tally);
    }
    return tally;
  }

  /** The sum over all keys. */
  total(count: Exclude<keyof KeyTally, 'longestWaitMs'>): number {
    return [...this.#keys.values()].reduce((sum, tally) => sum + tally[count], 0);
  }

  /** Notes a 429 with the limits that it blamed. */
  refusal(hadRetryAfter: boolean, blocking: readonly { readonly entity: string; readonly limit: LimitName }[]): void {
    this.refused.answers += 1;
    if (hadRetryAfter) this.refused.withRetryAfter += 1;
    for (const entity of new Set(blocking.map((status) => status.entity))) {
      this.#refusals.set(entity, this.refusalsBy(entity) + 1);
    }
    for (const { entity, limit } of blocking) this.#blocking.set(entity, this.limitsBlocking(entity).add(limit));
  }

  refusalsBy(entity: string): number {
    return this.#refusals.get(entity) ?? 0;
  }

  limitsBlocking(entity: string): Set<LimitName> {
    return this.#blocking.get(entity) ?? new Set();
  }
}
