import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { ContributorInsightsMode, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { TableBilling } from './table-billing.js';

/** How the table of a limiter is made. */
export interface LimiterTableProps {
  /**
   * The name of the table. Another one later is another table, and an empty one: the former stays behind, as its removal policy says.
   *
   * @default - CloudFormation makes one up
   */
  readonly tableName?: string;

  /**
   * How the table is paid for.
   *
   * @default TableBilling.onDemand()
   */
  readonly billing?: TableBilling;

  /**
   * Whose key encrypts the table. With `CUSTOMER_MANAGED` and no `encryptionKey`, a key is made, and rotated each year.
   *
   * @default TableEncryption.DEFAULT, a key of AWS's own that costs nothing, or CUSTOMER_MANAGED with an encryptionKey
   */
  readonly encryption?: TableEncryption;

  /**
   * The key that encrypts the table. Grants of this library let their grantee use it.
   *
   * @default - none, or with TableEncryption.CUSTOMER_MANAGED one that is made
   */
  readonly encryptionKey?: IKey;

  /**
   * Whether the table can be brought back to any second of the last days. It costs by the size of the table.
   *
   * @default true
   */
  readonly pointInTimeRecovery?: boolean;

  /**
   * How far back point-in-time recovery reaches, 1 to 35 days.
   *
   * @default Duration.days(35)
   */
  readonly recoveryPeriod?: Duration;

  /**
   * Whether DynamoDB refuses to delete the table, whoever asks.
   *
   * @default false
   */
  readonly deletionProtection?: boolean;

  /**
   * What becomes of the table, and of a key that was made for it, when it leaves the stack.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Which keys CloudWatch's Contributor Insights counts: it shows the heaviest entities, and costs by the request
   * that it sees. `THROTTLED_KEYS` costs next to nothing and names a bucket that is too hot.
   *
   * @default - none
   */
  readonly contributorInsights?: ContributorInsightsMode;

  /**
   * Tags on all that this construct makes, at most 45.
   *
   * @default - those of the stack
   */
  readonly tags?: { readonly [key: string]: string };
}
