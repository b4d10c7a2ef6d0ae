import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type IBucket,
  type LifecycleRule,
  type ObjectLockRetention,
  ObjectOwnership,
  StorageClass,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledgements.js';
import { PropChecks } from './prop-checks.js';

const MAX_DAYS = 36_500;

/** How audit events are kept. */
export interface AuditArchiveProps {
  /**
   * The name of the bucket. Another one later is another bucket: the former stays behind, with its events.
   *
   * @default - CloudFormation makes one up
   */
  readonly bucketName?: string;

  /**
   * The key that encrypts the objects.
   *
   * @default - a key of S3's own, which costs nothing
   */
  readonly encryptionKey?: IKey;

  /**
   * For how long events are kept, in whole days.
   *
   * @default - for ever
   */
  readonly expiration?: Duration;

  /**
   * After how many whole days events move to a storage class that is cheap to keep and dear to read (Glacier Instant
   * Retrieval). S3 moves no object under 128 kB, so this is of use only where batches hold thousands of events.
   *
   * @default - they stay where they are
   */
  readonly archiveAfter?: Duration;

  /**
   * Lets nobody delete or change an event before its time; `compliance` binds the owner of the account, too. Only a new bucket has it: set
   * later, it makes another one, and the former stays behind, with its events.
   *
   * @default - no lock; versions are kept, so that a deleted event can be brought back
   */
  readonly objectLock?: ObjectLockRetention;

  /**
   * Where S3 tells who has read the archive.
   *
   * @default - nowhere
   */
  readonly accessLogBucket?: IBucket;

  /**
   * What becomes of the bucket when it leaves the stack. A bucket with events in it cannot be deleted: empty it first.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** A bucket for audit events, which the table keeps for a limited time only. The aggregator writes each event once. */
export class AuditArchive extends Construct {
  /** The bucket. */
  readonly bucket: IBucket;

  constructor(scope: Construct, id: string, props: AuditArchiveProps = {}) {
    super(scope, id);
    const { encryptionKey, objectLock, accessLogBucket } = props;
    this.bucket = new Bucket(this, 'Resource', {
      bucketName: props.bucketName,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      encryption: encryptionKey === undefined ? BucketEncryption.S3_MANAGED : BucketEncryption.KMS,
      encryptionKey,
      // Without it each object would cost a request to KMS.
      bucketKeyEnabled: encryptionKey === undefined ? undefined : true,
      versioned: true,
      objectLockDefaultRetention: objectLock,
      lifecycleRules: [this.lifecycleOf(props)],
      serverAccessLogsBucket: accessLogBucket,
      serverAccessLogsPrefix: accessLogBucket === undefined ? undefined : 'millrace-audit/',
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
    });
    if (accessLogBucket === undefined) {
      const reason = "Who reads the archive is told where accessLogBucket says; there is no bucket for that but the user's own.";
      acknowledge(this.bucket, 'S1', reason);
    }
  }

  private lifecycleOf(props: AuditArchiveProps): LifecycleRule {
    const checks = new PropChecks(this);
    const expiration = checks.days('expiration', props.expiration, 1, MAX_DAYS);
    const archiveAfter = checks.days('archiveAfter', props.archiveAfter, 1, MAX_DAYS);
    const areKnown = !expiration?.isUnresolved() && !archiveAfter?.isUnresolved();
    if (expiration && archiveAfter && areKnown && archiveAfter.toDays() >= expiration.toDays()) {
      checks.refuse(`archiveAfter must be shorter than expiration (${expiration.toDays()} days), got: ${archiveAfter.toDays()} days`);
    }
    return {
      id: 'audit-events',
      abortIncompleteMultipartUploadAfter: Duration.days(7),
      expiration,
      noncurrentVersionExpiration: expiration === undefined ? undefined : Duration.days(1),
      transitions: archiveAfter && [{ storageClass: StorageClass.GLACIER_INSTANT_RETRIEVAL, transitionAfter: archiveAfter }],
    };
  }
}
