import { gunzipSync } from 'node:zlib';
import { type ArchiveStore, STREAM_FILTERS } from '@millrace/aggregator-lambda';
import type { WireItem } from '@millrace/core';
import {
  type FailureMessage,
  FakeRuntime,
  MemoryStream,
  type PumpCheckpoints,
  PumpCrash,
  type StreamHandler,
  StreamPump,
} from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { AT_MS, BucketWorld, sequences, worldOf } from './batch-world.js';

const ID = '01JZ0000000000000000000001';

/** An audit event as administration writes it: once in the namespace's own partition, once in its subject's. */
function auditItem(id: string, partition = 'n1/a', atMs = AT_MS): WireItem {
  return {
    PK: { S: partition },
    SK: { S: id },
    v: { N: '1' },
    at: { N: String(atMs) },
    ttl: { N: '1900000000' },
    action: { S: 'limits.set' },
    subject: { S: 'resource/gpt-4' },
    actor: { S: 'ann' },
    after: { S: '{"limits":["rpm:5/min"]}' },
  };
}

/** An archive in memory; it refuses to write a key twice, as the real one does. */
class MemoryArchive implements ArchiveStore {
  readonly objects = new Map<string, string>();
  puts = 0;
  before: (key: string) => void = () => undefined;

  async put(key: string, body: Uint8Array): Promise<'stored' | 'known'> {
    this.puts += 1;
    this.before(key);
    if (this.objects.has(key)) return 'known';
    this.objects.set(key, gunzipSync(body).toString('utf8'));
    return 'stored';
  }
}

describe('an audit event', () => {
  it('is archived when it is written: a line of JSON, compressed, under its date', async () => {
    const [stream, archive] = [new MemoryStream(), new MemoryArchive()];
    const { invoke, metrics } = worldOf({ archive });

    expect(await invoke([stream.append({ newImage: auditItem(ID), atMs: AT_MS })])).toEqual([]);

    const line = {
      id: ID,
      at: '2026-05-13T10:20:30.000Z',
      namespaceId: 'n1',
      action: 'limits.set',
      subject: 'resource/gpt-4',
      actor: 'ann',
      after: { limits: ['rpm:5/min'] },
    };
    expect([...archive.objects]).toEqual([[`audit/date=2026-05-13/namespace=n1/${ID}.json.gz`, `${JSON.stringify(line)}\n`]]);
    expect(metrics.sum('auditArchived')).toBe(1);
  });

  it('is archived once, however often it comes: again, with others, as its subject, and when it has expired', async () => {
    const [stream, archive] = [new MemoryStream(), new MemoryArchive()];
    const { invoke } = worldOf({ archive });
    const [item, copy] = [auditItem(ID), auditItem(ID, 'n1/a/resource%2Fgpt-4')];
    const [written, copied] = [stream.append({ newImage: item, atMs: AT_MS }), stream.append({ newImage: copy, atMs: AT_MS })];
    const other = stream.append({ newImage: auditItem(`${ID.slice(0, -1)}2`), atMs: AT_MS });
    const expired = [item, copy].map((oldImage) => stream.append({ oldImage, atMs: AT_MS + 365 * 86_400_000, isExpiry: true }));

    for (const batch of [[written, copied], [written, other], [copied, other], expired, expired]) await invoke(batch);

    expect([...archive.objects.keys()].map((key) => key.split('/').at(-1))).toEqual([`${ID}.json.gz`, `${ID.slice(0, -1)}2.json.gz`]);
  });

  it('that was written before there was an archive is archived when it expires, under the date of its own', async () => {
    const [stream, archive] = [new MemoryStream(), new MemoryArchive()];
    const { invoke } = worldOf({ archive });

    await invoke([stream.append({ oldImage: auditItem(ID), atMs: AT_MS + 365 * 86_400_000, isExpiry: true })]);

    expect([...archive.objects.keys()]).toEqual([`audit/date=2026-05-13/namespace=n1/${ID}.json.gz`]);
  });

  it('that somebody deletes, as a purge does, is not taken for expired', async () => {
    const [stream, archive] = [new MemoryStream(), new MemoryArchive()];
    const { invoke } = worldOf({ archive });

    expect(await invoke([stream.append({ oldImage: auditItem(ID), atMs: AT_MS })])).toEqual([]);

    expect(archive.puts).toBe(0);
  });

  it('that the archive does not take comes again, and nothing is lost', async () => {
    const [stream, archive] = [new MemoryStream(), new MemoryArchive()];
    const { invoke, metrics } = worldOf({ archive });
    const records = [1, 2, 3].map((n) => stream.append({ newImage: auditItem(`${ID.slice(0, -1)}${n}`), atMs: AT_MS }));
    archive.before = (key) => {
      if (key.endsWith('2.json.gz')) throw new Error('503 SlowDown');
    };

    expect(await invoke(records)).toEqual(sequences(...records.slice(1, 2)));
    archive.before = () => undefined;
    expect(await invoke(records.slice(1))).toEqual([]);

    expect(archive.objects.size).toBe(3);
    expect(metrics.troubles).toMatchObject([{ what: 'archive', message: '503 SlowDown', records: 1 }]);
  });

  it('without an id or a time is reported, not skipped', async () => {
    const [stream, { invoke }] = [new MemoryStream(), worldOf({ archive: new MemoryArchive() })];
    const { at: _, ...item } = auditItem(ID);
    const record = stream.append({ newImage: item, atMs: AT_MS });

    expect(await invoke([record])).toEqual(sequences(record));
  });
});

/** Events and uses of a bucket around midnight, in one stream; each event with its copy, and every fourth with its expiry a year later. */
function busyMidnight() {
  const bucket = new BucketWorld();
  const midnightMs = Date.UTC(2026, 4, 14);
  const expected = new Set<string>();
  for (let turn = 0; turn < 120; turn += 1) {
    const atMs = midnightMs + (turn - 60) * 500;
    bucket.take(`key-${turn % 7}`, 1, atMs);
    if (turn % 3 !== 0) continue;
    const id = `${ID.slice(0, -3)}${String(turn).padStart(3, '0')}`;
    const images = [auditItem(id, 'n1/a', atMs), auditItem(id, 'n1/a/resource%2Fgpt-4', atMs)];
    for (const newImage of images) bucket.stream.append({ newImage, atMs: atMs + 1_000 });
    if (turn % 4 === 0) for (const oldImage of images) bucket.stream.append({ oldImage, atMs: atMs + 365 * 86_400_000, isExpiry: true });
    expected.add(`audit/date=2026-05-${turn < 60 ? 13 : 14}/namespace=n1/${id}.json.gz`);
  }
  return { stream: bucket.stream, expected: [...expected].sort() };
}

const KEYS = Array.from({ length: 7 }, (_, index) => `key-${index}`);

describe('an archive that troubles the function', () => {
  it.each([1, 2, 3, 4, 5, 6])('holds each event once, under its own day, whoever dies or fails meanwhile (seed %i)', async (seed) => {
    const { stream, expected } = busyMidnight();
    const [archive, { random }] = [new MemoryArchive(), new FakeRuntime({ seed })];
    const put = archive.put.bind(archive);
    archive.put = async (key, body) => {
      if (random() < 0.15) throw new Error('503 SlowDown');
      const answer = await put(key, body);
      if (random() < 0.15) throw new Error('no answer');
      return answer;
    };
    const { handler, windows } = worldOf({ archive });
    const mortal: StreamHandler = async (event, context) => {
      const answer = await handler(event, context);
      if (random() < 0.2) throw new Error('the function has died');
      return answer;
    };
    const checkpoints: PumpCheckpoints = new Map();
    const rules = { batchSize: 10, parallelizationFactor: seed % 2 === 0 ? 4 : 1, maximumRetryAttempts: 1_000 };
    const pump = () =>
      new StreamPump({ ...rules, source: stream, handler: mortal, checkpoints, dies: () => random() < 0.05, nowMs: () => 0 });
    for (let isOver = false; !isOver; ) {
      isOver = await pump()
        .drain()
        .then(
          () => true,
          (error: unknown) => {
            if (error instanceof PumpCrash) return false;
            throw error;
          },
        );
    }

    expect([...archive.objects.keys()].sort()).toEqual(expected);
    expect(archive.puts).toBeGreaterThan(expected.length);
    expect(KEYS.map((key) => windows.used(key, 'day'))).toEqual([18, 17, 17, 17, 17, 17, 17]);
  });

  it('for good keeps no usage from being booked: only its own events are given up, and are archived when they expire', async () => {
    const { stream, expected } = busyMidnight();
    const archive = new MemoryArchive();
    archive.before = () => {
      throw new Error('403 AccessDenied');
    };
    const { handler, windows, metrics } = worldOf({ archive });
    const given: string[] = [];
    const onFailure = ({ DDBStreamBatchInfo: { batchSize } }: FailureMessage): void => void given.push(String(batchSize));

    await new StreamPump({ source: stream, handler, batchSize: 50, maximumRetryAttempts: 2, onFailure, nowMs: () => 0 }).drain();

    expect(KEYS.map((key) => windows.used(key, 'day'))).toEqual([18, 17, 17, 17, 17, 17, 17]);
    // Of forty events only what is in the namespace's own partition is archived, when it is written, and ten times more when it expires.
    expect(given).toEqual(Array.from({ length: 50 }, () => '1'));
    expect(metrics.troubles.every(({ what }) => what === 'archive')).toBe(true);
    expect([archive.objects.size, expected.length]).toEqual([0, 40]);
  });
});

describe('the filters of the stream', () => {
  it('let through what the function looks at: buckets that were written, audit events written and expired', async () => {
    const stream = new MemoryStream();
    const archive = new MemoryArchive();
    const { handler, metrics } = worldOf({ archive });
    const bucket = { PK: { S: 'n1/b/key/0' }, SK: { S: 'x' }, v: { N: '1' }, seq: { N: '5' } };
    const expiringId = `${ID.slice(0, -1)}9`;
    stream.append({ newImage: auditItem(ID), atMs: AT_MS });
    stream.append({ newImage: bucket, atMs: AT_MS });
    stream.append({ oldImage: bucket, newImage: { ...bucket, seq: { N: '6' } }, atMs: AT_MS });
    stream.append({ oldImage: auditItem(expiringId), atMs: AT_MS, isExpiry: true });
    // What wakes nobody: a window of the ledger, an entity, a bucket that expires, an audit event that somebody deletes.
    stream.append({ newImage: { PK: { S: 'n1/u/key' }, SK: { S: 'hour/x/t/0/0' }, sa: { N: '1' }, sb: { N: '2' } }, atMs: AT_MS });
    stream.append({ newImage: { PK: { S: 'n1/e/key' }, SK: { S: 'entity' }, ver: { N: '1' } }, atMs: AT_MS });
    stream.append({ oldImage: bucket, atMs: AT_MS, isExpiry: true });
    stream.append({ oldImage: auditItem(ID), atMs: AT_MS });

    await new StreamPump({ source: stream, handler, filters: STREAM_FILTERS }).drain();

    expect(metrics.sum('records')).toBe(4);
    expect(archive.objects.size).toBe(2);
  });
});
