/** The part of a reply that says what it cost. */
export interface Consumed {
  readonly ConsumedCapacity?: Units | readonly Units[] | undefined;
}

interface Units {
  readonly CapacityUnits?: number | undefined;
}

/** Called once for each request that DynamoDB answered, or that was refused or lost. */
export type RequestListener = (operation: string, readUnits: number, writeUnits: number) => void;

const READS: ReadonlySet<string> = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);

/** Tells a listener of a request, and of the capacity that its reply says it took; a request without a reply took none. */
export function tell(listener: RequestListener, operation: string, reply: Consumed | undefined): void {
  const units = reply === undefined ? 0 : unitsOf(reply);
  const isRead = READS.has(operation);
  listener(operation, isRead ? units : 0, isRead ? 0 : units);
}

function unitsOf({ ConsumedCapacity: consumed }: Consumed): number {
  if (consumed === undefined) return 0;
  if (!Array.isArray(consumed)) return (consumed as Units).CapacityUnits ?? 0;
  return (consumed as readonly Units[]).reduce((sum, entry) => sum + (entry.CapacityUnits ?? 0), 0);
}
