import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';

const READING = ['kms:Decrypt', 'kms:DescribeKey'];
const WRITING = [...READING, 'kms:Encrypt', 'kms:ReEncryptFrom', 'kms:ReEncryptTo', 'kms:GenerateDataKey'];

/** Lets who may use a table use the key that it is encrypted with: DynamoDB asks for it in the caller's name. */
export function grantTableKey(key: IKey, grantee: IGrantable, use: 'reading' | 'writing'): Grant {
  return key.grant(grantee, ...(use === 'reading' ? READING : WRITING));
}
