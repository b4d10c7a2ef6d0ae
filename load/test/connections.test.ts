import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchEngine } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectionCounter } from '../../packages/limiter/test/connection-counter.js';
import { runCommand } from '../src/node/arguments.js';
import { bundle } from '../src/node/bundle.js';
import { runK6 } from '../src/node/k6-process.js';
import { runScenario } from '../src/node/run-scenario.js';
import { realK6 } from './real-k6.js';

const k6 = await realK6();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-connections-'));
});
afterAll(() => rm(folder, { recursive: true }));

const AT_ONCE = 10;

/** Answers nobody until so many ask, so that each of them needs a connection to itself. */
async function crowdedServer() {
  const counted = { connections: 0 };
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    waiting.push(response);
    if (waiting.length === AT_ONCE) for (const each of waiting.splice(0)) each.end('{}');
  });
  server.on('connection', () => {
    counted.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { counted, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

describe.skipIf(k6 === undefined)('a user of k6 whose callers make ten requests at once, twice', () => {
  if (k6 === undefined) return;

  it.each([
    ['keeps all connections by itself', undefined, 10],
    ['keeps four of them where it is told so, and makes six anew', 4, 16],
    ['makes all of them anew where it is to keep none', 0, 20],
  ])('%s', { timeout: 60_000 }, async (_, connections, expected) => {
    const server = await crowdedServer();
    const script = await bundle(
      'test-connections',
      `import http from 'k6/http';
       import { k6Options } from './src/plan/program-options.ts';
       import { scenario } from './scenarios/simple.ts';
       const turns = { executor: 'per-vu-iterations', vus: 1, iterations: 2 };
       const settings = { users: 1, durationMs: 1000, callers: 1, mode: 'direct', ...JSON.parse(__ENV.MORE) };
       export const options = { ...k6Options(scenario, settings), thresholds: {}, scenarios: { turns } };
       export default () => Promise.all(Array.from({ length: ${AT_ONCE} }, () => http.asyncRequest('POST', __ENV.TARGET, '{}')));`,
    );
    const env = { ...process.env, TARGET: server.url, MORE: JSON.stringify({ connections }) };
    const end = await runK6({ binary: k6, script, args: [], env, logFile: join(folder, 'k6.log'), timeoutMs: 50_000 });
    server.close();

    expect(end).toEqual({ code: 0, complaint: undefined });
    expect(server.counted.connections).toBe(expected);
  });
});

describe.skipIf(k6 === undefined)('a run through the Node service', () => {
  it('comes to DynamoDB by no more connections than that may have', { timeout: 60_000 }, async () => {
    const engine = await launchEngine();
    const counter = new ConnectionCounter(engine.endpoint);
    const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = engine.credentials;
    const env = { ...process.env, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION: engine.region };
    const args = [
      'max-rps',
      '--via',
      'gateway',
      '--vus',
      '40',
      '--connections',
      '2',
      '--duration',
      '1s',
      '--timeout',
      '60s',
      '--p95',
      '60s',
    ];
    const command = runCommand([...args, '--no-ledger', '--no-dashboard', '--results', folder, '--endpoint', await counter.listen()]);
    const { report } = await runScenario(command, { env, say: () => undefined });
    counter.close();
    await engine.close();

    expect(report.outcome).toBe('passed');
    expect(report.settings.connections).toBe(2);
    // Two of acquires, two of administration, and those that make the table and take it away.
    expect(counter.opened).toBeLessThan(10);
  });
});
