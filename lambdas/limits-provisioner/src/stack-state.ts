import { ATTRIBUTE, manifestStateKey, SCHEMA_VERSION } from '@millrace/core';
import type { Administration, Item, ItemWrite } from '@millrace/limiter/admin';
import type { StackRequest } from './request.js';

/** What a stack has last applied of a manifest, and which resource of which stack it was. */
export interface StackState {
  readonly stackId: string;
  readonly logicalId: string;
  /** The manifest, as text. */
  readonly text: string;
  readonly prune: boolean;
  readonly appliedAt: Date;
}

/** Reads it; undefined where no stack has applied the manifest. One read. */
export async function readState({ items, namespaceId }: Administration, manifest: string): Promise<StackState | undefined> {
  const [item] = await items.get([manifestStateKey(namespaceId, manifest)]);
  return item?.['stack'] === undefined ? undefined : stateOf(item);
}

const FORGET_SEC = 30 * 86_400;

/**
 * Writes it, or takes it away. The last one wins: it tells what holds, and keeps nobody out. One write. What is taken away is
 * emptied and expires, like a lock: who is fenced to a namespace deletes no items of this kind.
 */
export async function writeState(parts: Administration, manifest: string, state: StackState | undefined): Promise<void> {
  const key = manifestStateKey(parts.namespaceId, manifest);
  const write: ItemWrite =
    state === undefined
      ? {
          kind: 'update',
          key,
          set: { [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION, [ATTRIBUTE.ttlSec]: Math.ceil(parts.nowMs() / 1000) + FORGET_SEC },
          remove: ['stack', 'resource', 'manifest', 'prune', 'at'],
        }
      : {
          kind: 'put',
          item: {
            [ATTRIBUTE.partitionKey]: key.partition,
            [ATTRIBUTE.sortKey]: key.sort,
            [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION,
            stack: state.stackId,
            resource: state.logicalId,
            manifest: state.text,
            prune: state.prune,
            at: state.appliedAt.getTime(),
          },
        };
  await parts.items.transact([write]);
}

/** Whether it is the resource of this request that has last applied the manifest. */
export function isHeldBy({ stackId, logicalId }: StackState, request: StackRequest): boolean {
  return stackId === request.stackId && logicalId === request.logicalId;
}

function stateOf(item: Item): StackState {
  return {
    stackId: String(item['stack']),
    logicalId: String(item['resource']),
    text: String(item['manifest']),
    prune: item['prune'] === true,
    appliedAt: new Date(Number(item['at'])),
  };
}
