import type { Amounts } from '@millrace/limiter';
import type { Movement } from './bound.js';

/** What was reserved, charged and given back, by API key and limit, as the limiter's caller saw it. */
export class Ledger {
  readonly #movements = new Map<string, Movement[]>();

  /** Notes one movement of several limits. Below zero, tokens were given back. */
  note(kind: Movement['kind'], apiKey: string, amounts: Amounts, fromMs: number, toMs: number): void {
    for (const [limit, tokens] of Object.entries(amounts)) {
      if (tokens !== 0) this.#of(apiKey, limit).push({ kind, tokens: Math.abs(tokens), fromMs, toMs });
    }
  }

  /** All movements of one limit by any of these keys: what an entity above them all has seen. */
  movements(apiKeys: readonly string[], limit: string): readonly Movement[] {
    return apiKeys.flatMap((apiKey) => this.#of(apiKey, limit));
  }

  /** The tokens of one kind, of one limit, over all keys. */
  sum(kind: Movement['kind'], apiKeys: readonly string[], limit: string): number {
    return this.movements(apiKeys, limit).reduce((sum, movement) => sum + (movement.kind === kind ? movement.tokens : 0), 0);
  }

  #of(apiKey: string, limit: string): Movement[] {
    const name = `${apiKey} ${limit}`;
    let movements = this.#movements.get(name);
    if (movements === undefined) {
      movements = [];
      this.#movements.set(name, movements);
    }
    return movements;
  }
}
