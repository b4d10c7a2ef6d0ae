import { gunzipSync } from 'node:zlib';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { Limit } from '@millrace/limiter';
import { describe, expect, it } from 'vitest';
import { deployed, limiterAs } from './deployed.js';

describe('the archive of audit events', () => {
  it('W-23: holds an event that was written through the SDK', async () => {
    await using operator = await limiterAs('Admin', { actor: 'deploy-test' });
    await operator.limits.setResource('archived', [Limit.perMinute('rpm', 5)]);
    const { events } = await operator.audit.list({ subject: 'resource/archived' });
    const [event] = events;
    const id = event?.id ?? 'no event was written';

    await expect.poll(() => keysWith(id), { timeout: 10_000, interval: 100 }).toHaveLength(1);

    const [key = ''] = await keysWith(id);
    expect(key).toMatch(new RegExp(`^audit/date=\\d{4}-\\d\\d-\\d\\d/namespace=${deployed.namespaceIds['default']}/`));
    expect(await lineOf(key)).toMatchObject({ id, actor: 'deploy-test', action: event?.action, subject: event?.subject });
  });
});

const s3 = (): S3Client => new S3Client({ forcePathStyle: true });

async function keysWith(id: string): Promise<readonly string[]> {
  const listed = await s3().send(new ListObjectsV2Command({ Bucket: deployed.auditBucket }));
  return (listed.Contents ?? []).flatMap(({ Key: key = '' }) => (key.includes(id) ? [key] : []));
}

async function lineOf(key: string): Promise<unknown> {
  const { Body: body } = await s3().send(new GetObjectCommand({ Bucket: deployed.auditBucket, Key: key }));
  const bytes = await body?.transformToByteArray();
  return JSON.parse(gunzipSync(bytes ?? new Uint8Array()).toString('utf8'));
}
