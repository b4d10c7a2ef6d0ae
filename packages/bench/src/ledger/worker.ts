import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Meter } from '../cost/meter.js';
import type { Run, Task, Worker } from './cell.js';
import { sharesOf } from './changes.js';
import { millraceSide } from './millrace-side.js';
import { pluginSide } from './plugin-side.js';
import { scenarioOf } from './scenarios.js';

const KIBIBYTE = 1_024;
const SIDE_OF = { millrace: millraceSide, plugin: pluginSide };

/** Makes a worker in this process, and warms it up. */
export async function openWorker({ site, table, cell, dayMs, repetitions }: Task): Promise<Worker> {
  const scenario = scenarioOf(cell.scenario);
  const { concurrency, latencyMs } = cell;
  // What warms up waits for nothing.
  const latency = { ms: 0 };
  const client = clientOf(site, concurrency, latency);
  const meter = new Meter();
  meter.attach(client);
  const side = SIDE_OF[cell.side]({ client, table, concurrency, windowTypes: scenario.windowTypes });
  const { warmup, measured: shares } = sharesOf(scenario, dayMs, repetitions);
  for (const share of warmup) await side(share)();
  latency.ms = latencyMs;
  const left = shares.values();
  return {
    startRssBytes: peakRssBytes(),
    async run() {
      const { value: share } = left.next();
      if (share === undefined) throw new Error(`there are no more than ${shares.length} shares`);
      return measured(side(share), meter);
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
    },
  };
}

/** A client with as many connections as requests go out at once, that keeps each request back for a while. */
function clientOf({ endpoint, region, credentials }: Task['site'], maxSockets: number, latency: { readonly ms: number }): DynamoDBClient {
  const client = new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 1, requestHandler: { httpAgent: { maxSockets } } });
  client.middlewareStack.add(
    (next) => async (args) => {
      if (latency.ms > 0) await sleep(latency.ms);
      return next(args);
    },
    { name: 'millraceLatency', step: 'finalizeRequest', priority: 'low' },
  );
  return client;
}

async function measured(work: () => Promise<void>, meter: Meter): Promise<Run> {
  const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
  const units = await meter.count(work);
  const [elapsedMs, cpu] = [performance.now() - startMs, process.cpuUsage(startCpu)];
  return { elapsedMs, cpuUs: cpu.user + cpu.system, ...units, peakRssBytes: peakRssBytes() };
}

function peakRssBytes(): number {
  return process.resourceUsage().maxRSS * KIBIBYTE;
}
