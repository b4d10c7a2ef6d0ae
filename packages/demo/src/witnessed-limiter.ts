import type { Amounts, Lease, RateLimiter } from '@millrace/limiter';
import type { Ledger } from './ledger.js';

/** The part of a lease that the gateway uses. */
export type WorkingLease = Pick<Lease, 'adjust'>;

/** What a run has done with leases, to be told apart in its costs. */
export interface LeaseCounts {
  /** Adjustments that changed something, each of which is one write a level. */
  adjusted: number;
  /** Calls that failed, each of which gave back in one write a level. */
  gaveBack: number;
  /** Tokens per minute that those had reserved. */
  tokensGivenBack: number;
}

/**
 * A limiter's `withLease`, with a witness beside it: what was asked and what came back, and between which two moments
 * each of it must have happened. The limiter's own counters are not looked at.
 */
export class WitnessedLimiter {
  readonly counts: LeaseCounts = { adjusted: 0, gaveBack: 0, tokensGivenBack: 0 };
  readonly #limiter: RateLimiter;
  readonly #ledger: Ledger;
  readonly #nowMs: () => number;

  constructor(limiter: RateLimiter, ledger: Ledger, nowMs: () => number) {
    this.#limiter = limiter;
    this.#ledger = ledger;
    this.#nowMs = nowMs;
  }

  async withLease<T>(entity: string, resource: string, amounts: Amounts, work: (lease: WorkingLease) => Promise<T>): Promise<T> {
    const askedMs = this.#nowMs();
    let failed: { readonly atMs: number; readonly held: Amounts } | undefined;
    try {
      const witnessed = async (lease: Lease): Promise<T> => {
        this.#ledger.note('reservation', entity, amounts, askedMs, this.#nowMs());
        try {
          return await work({ adjust: (deltas) => this.#adjust(lease, deltas) });
        } catch (error) {
          failed = { atMs: this.#nowMs(), held: lease.consumed };
          throw error;
        }
      };
      return await this.#limiter.withLease(entity, resource, amounts, witnessed);
    } finally {
      if (failed !== undefined) {
        this.#ledger.note('credit', entity, failed.held, failed.atMs, this.#nowMs());
        this.counts.gaveBack += 1;
        const { tpm = 0 } = failed.held;
        this.counts.tokensGivenBack += tpm;
      }
    }
  }

  async #adjust(lease: Lease, deltas: Amounts): Promise<void> {
    const fromMs = this.#nowMs();
    const split = (sign: 1 | -1): Amounts => Object.fromEntries(Object.entries(deltas).filter(([, tokens]) => tokens * sign > 0));
    try {
      await lease.adjust(deltas);
      this.#ledger.note('charge', lease.entity, split(1), fromMs, this.#nowMs());
      if (Object.values(deltas).some((tokens) => tokens !== 0)) this.counts.adjusted += 1;
    } finally {
      // Also when the reply was lost: it may have been given back, and the check must not count it as still taken.
      this.#ledger.note('credit', lease.entity, split(-1), fromMs, this.#nowMs());
    }
  }
}
