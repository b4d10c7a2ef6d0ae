import type { WindowChange } from '@millrace/ledger';
import type { Entry } from './batch.js';

/** One thing to write, and the records that it comes from. */
export interface Piece {
  readonly what: 'window' | 'archive' | 'period';
  readonly entries: () => readonly Entry[];
  readonly change?: WindowChange;
  readonly write: () => Promise<'written' | 'stored' | 'known'>;
}
