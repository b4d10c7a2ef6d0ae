import { ValidationError } from '@millrace/core';
import type { Workload } from '@millrace/cost';

/** How one acquire of a scenario goes. */
export interface Card {
  readonly cascades: boolean;
  /** Refused by the table, or by what the process has seen last. */
  readonly fate: 'admitted' | 'refused' | 'refused locally';
  /** By a process that remembers no configuration. */
  readonly isCold: boolean;
  readonly adjusts: number;
}

/**
 * The acquires of a scenario: exactly its shares, to the nearest whole acquire, of those that cascade and of those that do
 * not, in an order that chance decides. So what is counted differs from the formulas by what Millrace does, and not by luck.
 */
export function deckOf(workload: Workload, acquires: number, random: () => number): readonly Card[] {
  if (workload.acquiresPerWrite !== 1)
    throw new ValidationError('acquiresPerWrite', '1: the callers of a scenario come one by one', workload.acquiresPerWrite);
  const cascading = Math.round(acquires * workload.cascadeShare);
  return shuffled([...cardsOf(workload, cascading, true), ...cardsOf(workload, acquires - cascading, false)], random);
}

function cardsOf(workload: Workload, count: number, cascades: boolean): Card[] {
  const refused = Math.round(count * workload.refusedShare);
  const locally = Math.round(refused * workload.refusedLocallyShare);
  const cold = Math.round(count * (workload.configMissShare ?? 0));
  const { adjustsPerAcquire } = workload;
  return Array.from({ length: count }, (_, index): Card => {
    if (index < refused) return { cascades, fate: index < locally ? 'refused locally' : 'refused', isCold: false, adjusts: 0 };
    const admitted = index - refused;
    const adjusts = Math.round((admitted + 1) * adjustsPerAcquire) - Math.round(admitted * adjustsPerAcquire);
    return { cascades, fate: 'admitted', isCold: admitted < cold, adjusts };
  });
}

function shuffled<T>(cards: T[], random: () => number): T[] {
  for (let last = cards.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [cards[last], cards[other]] = [cards[other] as T, cards[last] as T];
  }
  return cards;
}
