import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { LIMITER_METRICS } from '@millrace/core';
import { Limit, type LimiterStats } from '@millrace/limiter';
import { emfSink, type MetricReport, reportLedger, reportMetrics } from '@millrace/limiter/metrics';
import { cloudWatchSink } from '@millrace/limiter/metrics/cloudwatch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTable, openTable } from './open-table.js';

type Line = Record<string, unknown>;

let opened: OpenTable;
beforeAll(async () => {
  opened = await openTable();
});
afterAll(() => opened?.close());

const limits = [Limit.perMinute('rpm', 5)];

function requestsOf({ requests }: LimiterStats): number {
  return Object.values(requests).reduce((sum, count) => sum + count, 0);
}

function linesTo(lines: Line[]) {
  return emfSink({ write: (line) => void lines.push(JSON.parse(line)) });
}

describe('a limiter whose metrics are reported', () => {
  it('tells what its counters tell, by resource and altogether, when it closes at the latest', async () => {
    const limiter = await opened.open();
    const lines: Line[] = [];
    const before = limiter.stats();
    reportMetrics(limiter, { sink: linesTo(lines), namespace: 'Test', topEntities: 1 });
    for (const resource of ['a', 'a', 'b', 'a']) await limiter.tryAcquire('key', resource, { rpm: 2 }, { limits });
    const after = limiter.stats();
    await limiter.close();

    const [whole, ...rest] = lines;
    expect(whole).toMatchObject({ Table: opened.table, Admitted: 3, Rejected: 1, Degraded: 0, ReportFailures: 0 });
    const grown = (key: 'readUnits' | 'writeUnits' | 'refusedWrites') => after[key] - before[key];
    expect([whole?.['ConsumedReadUnits'], whole?.['ConsumedWriteUnits']]).toEqual([grown('readUnits'), grown('writeUnits')]);
    expect([whole?.['RefusedWrites'], whole?.['Requests']]).toEqual([grown('refusedWrites'), requestsOf(after) - requestsOf(before)]);
    const latency = whole?.['AcquireLatency'] as { Counts: number[] };
    expect(latency.Counts.reduce((sum, count) => sum + count, 0)).toBe(4);
    expect(rest).toMatchObject([
      { Resource: 'a', Admitted: 2, Rejected: 1 },
      { Resource: 'b', Admitted: 1, Rejected: 0 },
      { Entity: 'key', Resource: 'a', EntityAcquires: 3, EntityRejected: 1 },
    ]);
  });

  it('reports every metric that there is a name for', async () => {
    const limiter = await opened.open();
    const lines: Line[] = [];
    const reporter = reportMetrics(limiter, { sink: linesTo(lines) });
    await limiter.tryAcquire('key', 'named', { rpm: 1 }, { limits });
    await reporter.flush();

    const names = Object.values(LIMITER_METRICS).map(({ name }) => name);
    expect(Object.keys(lines[0] ?? {}).sort()).toEqual(['_aws', 'Table', ...names].sort());
  });

  it('has one reporter at a time; other objects have none', async () => {
    const limiter = await opened.open();
    const sink = emfSink({ write: () => undefined });
    const reporter = reportMetrics(limiter, { sink });

    expect(() => reportMetrics(limiter, { sink })).toThrow(/nobody reports yet/);
    await reporter.close();
    await reportMetrics(limiter, { sink }).close();
    expect(() => reportMetrics({} as never, { sink })).toThrow(/an open RateLimiter/);
  });

  it('goes on when a limiter of another namespace is closed', async () => {
    const limiter = await opened.open();
    await limiter.namespaces.register('metrics');
    const lines: Line[] = [];
    const reporter = reportMetrics(limiter, { sink: linesTo(lines) });
    const tenant = await limiter.namespace('metrics');
    await tenant.tryAcquire('key', 'tenant', { rpm: 1 }, { limits });
    await tenant.close();
    await limiter.tryAcquire('key', 'tenant', { rpm: 1 }, { limits });
    await reporter.flush();

    expect(lines[0]).toMatchObject({ Admitted: 2 });
  });
});

describe('a verification of the ledger', () => {
  it('is reported with its gaps, which nobody else can know', async () => {
    const limiter = await opened.open();
    await limiter.acquire('lost', 'ledger', { rpm: 1 }, { limits });
    const verdict = await limiter.usage.verify({ entity: 'lost', settleMs: 0 });
    const found = ['gap', 'sum', 'nesting'].map((kind) => ({ kind }) as never);
    const lines: Line[] = [];
    await reportLedger(limiter, { ...verdict, findings: 3, found }, { sink: linesTo(lines) });
    await reportLedger(limiter, verdict, { sink: linesTo(lines) });

    expect(lines).toMatchObject([
      { Table: opened.table, LedgerFindings: 3, LedgerGaps: 2, LedgerInFlight: 1 },
      { LedgerFindings: 0, LedgerGaps: 0, LedgerInFlight: 1 },
    ]);
    await expect(reportLedger(limiter, {} as never, { sink: linesTo(lines) })).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});

describe('the sink of CloudWatch', () => {
  const bodies: { Namespace: string; MetricData: Line[] }[] = [];
  let status = 200;
  let server: Server;
  let endpoint: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        bodies.push(JSON.parse(String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body)));
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
        response.end(status === 200 ? '{}' : '{"__type":"AccessDeniedException","message":"not you"}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const connection = () => ({ endpoint, region: 'us-east-1', credentials: { accessKeyId: 'id', secretAccessKey: 'secret' } });
  const definition = LIMITER_METRICS.acquireLatency;
  const point = (resource: string) => ({
    dimensions: { Table: 'table', Resource: resource },
    metrics: [{ definition, value: { values: [1.5, 20], counts: [9, 1] } }],
  });
  const report = (points: MetricReport['points']): MetricReport => ({
    namespace: 'Test',
    atMs: 1_700_000_000_000,
    table: 'table',
    points,
    entities: [],
  });

  it('sends all data with their dimensions and their moment, a hundred in a request', async () => {
    const sink = cloudWatchSink(connection());
    const points = Array.from({ length: 101 }, (_, index) => point(`r${index}`));
    await sink.send(report(points), new AbortController().signal);
    await sink.close?.();

    expect(bodies.map(({ MetricData }) => MetricData.length)).toEqual([100, 1]);
    expect(bodies[0]).toMatchObject({ Namespace: 'Test' });
    expect(bodies[1]?.MetricData[0]).toEqual({
      MetricName: 'AcquireLatency',
      Dimensions: [
        { Name: 'Table', Value: 'table' },
        { Name: 'Resource', Value: 'r100' },
      ],
      Timestamp: 1_700_000_000,
      Unit: 'Milliseconds',
      Values: [1.5, 20],
      Counts: [9, 1],
    });
  });

  it('fails where CloudWatch refuses, which a reporter counts', async () => {
    const limiter = await opened.open();
    status = 403;
    const warnings: string[] = [];
    const reporter = reportMetrics(limiter, { sink: cloudWatchSink(connection()), runtime: { warn: (text) => void warnings.push(text) } });
    await reporter.close();

    expect(reporter.stats()).toMatchObject({ reports: 0, failures: 1, lastFailure: { name: 'AccessDeniedException' } });
    expect(warnings).toEqual([expect.stringContaining('not you')]);
  });

  it('refuses what it does not know', () => {
    expect(() => cloudWatchSink({ zone: 1 } as never)).toThrow(/zone/);
    expect(() => cloudWatchSink({ client: {} } as never)).toThrow(/CloudWatchClient/);
    expect(() => cloudWatchSink({ client: { send: async () => undefined }, region: 'eu-west-1' })).toThrow(/region/);
    expect(() => emfSink({ write: 5 } as never)).toThrow(/write/);
  });
});
