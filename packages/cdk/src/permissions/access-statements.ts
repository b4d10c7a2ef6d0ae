import { REGISTRY_PARTITION, WINDOW_INDEX } from '@millrace/core';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { AccessRole } from './access-role.js';
import { checkNamespaceId } from './namespace-id.js';
import { type Permit, statementsOf } from './permit.js';

/** The table that access is given to, and the part of it. */
export interface AccessTarget {
  /** The table. Its indexes are found by it. */
  readonly tableArn: string;
  /**
   * The id of a namespace, which fences the access to the items of that namespace.
   *
   * @default - all namespaces
   */
  readonly namespaceId?: string;
}

/**
 * The statements that give a role of use: the actions that the SDK sends for it, on the keys that it sends them for. A test
 * records both, and fails for one that is missing as for one too many.
 */
export function accessStatements(role: AccessRole, { tableArn, namespaceId }: AccessTarget): PolicyStatement[] {
  return statementsOf(permitsOf(role, namespaceId === undefined ? undefined : checkNamespaceId(namespaceId)), tableArn);
}

function permitsOf(role: AccessRole, id: string | undefined): readonly Permit[] {
  switch (role) {
    case AccessRole.ACQUIRE:
      return acquirePermits(id ?? '*');
    case AccessRole.RECORD_USAGE:
      return recordPermits(id ?? '*');
    case AccessRole.READ:
      return id === undefined ? READ_ALL : readPermits(id);
    case AccessRole.ADMIN:
      return id === undefined ? ADMIN_ALL : adminPermits(id);
  }
}

/** Which namespace a name means. One name at a time: who the other tenants are cannot be listed. */
const FIND_NAMESPACE: Permit = { actions: ['GetItem'], keys: [REGISTRY_PARTITION] };
const READS = ['GetItem', 'BatchGetItem', 'Query'];

/** Buckets are written; the limits, the entities and the closing of the namespace are read. */
function acquirePermits(id: string): readonly Permit[] {
  return [
    FIND_NAMESPACE,
    { actions: ['GetItem', 'UpdateItem'], keys: [`${id}/b/*`] },
    { actions: ['BatchGetItem'], keys: [`${id}/e/*`, `${id}/r/*`, `${id}/s`] },
  ];
}

/** An event, its key and the meter of them are written in one transaction. Those that are there already are read. */
function recordPermits(id: string): readonly Permit[] {
  return [{ actions: ['PutItem', 'UpdateItem', 'BatchGetItem'], keys: [`${id}/v/*`] }];
}

function readPermits(id: string): readonly Permit[] {
  return [FIND_NAMESPACE, { actions: READS, keys: [`${id}/*`] }, { actions: ['Query'], keys: [`${id}/w/*`], index: WINDOW_INDEX }];
}

/** Audit events are added and never taken away, and a namespace cannot be purged from within. */
function adminPermits(id: string): readonly Permit[] {
  const [buckets, entities, lists, manifests] = [`${id}/b/*`, `${id}/e/*`, `${id}/l/*`, `${id}/m/*`];
  const [resources, system, seals] = [`${id}/r/*`, `${id}/s`, `${id}/seal/*`];
  const [usage, usageOfEvents] = [`${id}/u/*`, `${id}/uv/*`];
  return [
    ...readPermits(id),
    ...recordPermits(id),
    { actions: ['PutItem'], keys: [`${id}/a`, `${id}/a/*`, entities, lists, manifests, usage, usageOfEvents, seals] },
    { actions: ['UpdateItem'], keys: [buckets, entities, manifests, resources, system, usage, usageOfEvents] },
    { actions: ['DeleteItem'], keys: [entities, lists] },
    { actions: ['BatchWriteItem'], keys: [buckets] },
    { actions: ['ConditionCheckItem'], keys: [entities] },
  ];
}

/** What `tableStatus` and `millrace table status` ask. */
const DESCRIBE = ['DescribeTable', 'DescribeTimeToLive', 'DescribeContinuousBackups'];
const READ_ALL: readonly Permit[] = [{ actions: [...READS, ...DESCRIBE] }, { actions: ['Query'], index: WINDOW_INDEX }];

/** A Scan is for purging a namespace, and for verifying the usage of all entities: both read the whole table. */
const ADMIN_ALL: readonly Permit[] = [
  { actions: [...READS, ...DESCRIBE, 'Scan', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'ConditionCheckItem'] },
  { actions: ['Query'], index: WINDOW_INDEX },
];
