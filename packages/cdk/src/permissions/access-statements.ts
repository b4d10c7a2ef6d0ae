import { WINDOW_INDEX } from '@millrace/core';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** What somebody uses a limiter for. */
export enum AccessRole {
  /** Services: acquire, adjust, release, and read the limits that hold. */
  ACQUIRE = 'acquire',
  /** Dashboards and reports: read limits, buckets and usage. */
  READ = 'read',
  /** Operators: entities, limits and namespaces, beside all the others do. */
  ADMIN = 'admin',
}

/** The table that access is given to, and the part of it. */
export interface AccessTarget {
  /** The table. Its indexes are found by it. */
  readonly tableArn: string;
  /**
   * The id of a namespace, which fences the access to the items of that namespace.
   *
   * @default - the whole table
   */
  readonly namespaceId?: string;
}

const READS = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
const ACTIONS: Readonly<Record<AccessRole, readonly string[]>> = {
  [AccessRole.ACQUIRE]: [...READS, 'dynamodb:UpdateItem'],
  [AccessRole.READ]: READS,
  [AccessRole.ADMIN]: [
    ...READS,
    'dynamodb:UpdateItem',
    'dynamodb:PutItem',
    'dynamodb:DeleteItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:ConditionCheckItem',
  ],
};

/** The statements that give a role of use: item actions only, since that is all that the SDK sends. */
export function accessStatements(role: AccessRole, { tableArn, namespaceId }: AccessTarget): PolicyStatement[] {
  const fence =
    namespaceId === undefined ? {} : { conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${namespaceId}/*`] } } };
  return [
    new PolicyStatement({ actions: [...ACTIONS[role]], resources: [tableArn], ...fence }),
    new PolicyStatement({ actions: ['dynamodb:Query'], resources: [`${tableArn}/index/${WINDOW_INDEX}`], ...fence }),
  ];
}
