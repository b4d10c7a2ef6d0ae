import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { WindowType } from '@millrace/core';
import type { Share } from './changes.js';

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
