import { AuditArchive, type AuditArchiveProps } from '@millrace/cdk';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket, ObjectLockRetention } from 'aws-cdk-lib/aws-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { mistakesOf, templateOf } from './synth.js';

const BUCKET = 'AWS::S3::Bucket';
const archiveWith = (props?: AuditArchiveProps): Template => templateOf((stack) => new AuditArchive(stack, 'Archive', props));
const rule = (properties: object) => ({ LifecycleConfiguration: { Rules: [Match.objectLike(properties)] } });

describe('an archive without props', () => {
  let template: Template;
  beforeAll(() => {
    template = archiveWith();
  });

  it('is nobody’s but the owner’s, encrypted, and keeps what is written over', () => {
    template.hasResourceProperties(BUCKET, {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      BucketEncryption: { ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }] },
      VersioningConfiguration: { Status: 'Enabled' },
      ObjectLockEnabled: Match.absent(),
    });
  });

  it('refuses what comes without TLS', () => {
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })]),
      },
    });
  });

  it('keeps events for ever where they are, and stays when its stack goes', () => {
    template.hasResource(BUCKET, { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    template.hasResourceProperties(
      BUCKET,
      rule({ ExpirationInDays: Match.absent(), Transitions: Match.absent(), AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } }),
    );
  });
});

describe('the props of an archive', () => {
  it('move and delete events in time, versions with them', () => {
    archiveWith({ archiveAfter: Duration.days(90), expiration: Duration.days(400) }).hasResourceProperties(
      BUCKET,
      rule({
        ExpirationInDays: 400,
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
        Transitions: [{ StorageClass: 'GLACIER_IR', TransitionInDays: 90 }],
      }),
    );
  });

  it('encrypt with a key, of which the bucket asks once for many objects', () => {
    const template = templateOf((stack) => new AuditArchive(stack, 'Archive', { encryptionKey: new Key(stack, 'Mine') }));

    template.hasResourceProperties(BUCKET, {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ BucketKeyEnabled: true, ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms' } }],
      },
    });
  });

  it('lock events, name the bucket, tell who reads it, and let it go', () => {
    const template = templateOf((stack) => {
      new AuditArchive(stack, 'Archive', {
        bucketName: 'who-did-what',
        objectLock: ObjectLockRetention.governance(Duration.days(365)),
        accessLogBucket: Bucket.fromBucketName(stack, 'Log', 'access-log'),
        removalPolicy: RemovalPolicy.DESTROY,
      });
    });

    template.hasResource(BUCKET, {
      DeletionPolicy: 'Delete',
      Properties: {
        BucketName: 'who-did-what',
        ObjectLockConfiguration: { Rule: { DefaultRetention: { Days: 365, Mode: 'GOVERNANCE' } } },
        LoggingConfiguration: { DestinationBucketName: 'access-log', LogFilePrefix: 'millrace-audit/' },
      },
    });
  });

  it('are told what is wrong with them', () => {
    const told = mistakesOf((stack) => {
      new AuditArchive(stack, 'Archive', { expiration: Duration.days(30), archiveAfter: Duration.days(30) });
      new AuditArchive(stack, 'Brief', { expiration: Duration.hours(12) });
    });

    expect(told).toEqual([
      'archiveAfter must be shorter than expiration (30 days), got: 30 days',
      'expiration must be whole days from 1 to 36500, got: 0.5 days',
    ]);
  });
});
