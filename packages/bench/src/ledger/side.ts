import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { WindowType } from '@millrace/core';
import type { Share } from './changes.js';

/** Who works changes off: our function behind the stream, or the way of one record and one mark. */
export const SIDES = ['millrace', 'plugin'] as const;
export type SideName = (typeof SIDES)[number];

/** What a side works with. */
export interface SideWorld {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** Requests under way at once. */
  readonly concurrency: number;
  readonly windowTypes: readonly WindowType[];
}

/** Makes ready what the side is handed over; what it gives then does the work, and is what is measured. */
export type Side = (share: Share) => () => Promise<void>;
