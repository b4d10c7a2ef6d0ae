import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Meter } from '../cost/meter.js';
import type { Run, Task, WorkerReport } from './cell.js';
import { sharesOf } from './changes.js';
import { millraceSide } from './millrace-side.js';
import { pluginSide } from './plugin-side.js';
import { scenarioOf } from './scenarios.js';

const KIBIBYTE = 1_024;
const SIDE_OF = { millrace: millraceSide, plugin: pluginSide };

/** Works off the shares of a cell, one after the other, and measures those that are not for warming up. */
export async function workOff({ site, table, cell, dayMs, repetitions }: Task): Promise<WorkerReport> {
  const scenario = scenarioOf(cell.scenario);
  const { concurrency, latencyMs } = cell;
  const client = clientOf(site, concurrency, latencyMs);
  try {
    const meter = new Meter();
    meter.attach(client);
    const side = SIDE_OF[cell.side]({ client, table, concurrency, windowTypes: scenario.windowTypes });
    const shares = sharesOf(scenario, concurrency, dayMs, repetitions);
    for (const share of shares.warmup) await side(share)();
    const startRssBytes = peakRssBytes();
    const runs: Run[] = [];
    for (const share of shares.measured) runs.push(await measured(side(share), meter));
    return { runs, startRssBytes, peakRssBytes: peakRssBytes() };
  } finally {
    client.destroy();
  }
}

/** A client with as many connections as requests go out at once, that keeps each request back for a while. */
function clientOf({ endpoint, region, credentials }: Task['site'], maxSockets: number, latencyMs: number): DynamoDBClient {
  const client = new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 1, requestHandler: { httpAgent: { maxSockets } } });
  if (latencyMs > 0) {
    client.middlewareStack.add(
      (next) => async (args) => {
        await sleep(latencyMs);
        return next(args);
      },
      { name: 'millraceLatency', step: 'finalizeRequest', priority: 'low' },
    );
  }
  return client;
}

async function measured(work: () => Promise<void>, meter: Meter): Promise<Run> {
  const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
  const units = await meter.count(work);
  const [elapsedMs, cpu] = [performance.now() - startMs, process.cpuUsage(startCpu)];
  return { elapsedMs, cpuUs: cpu.user + cpu.system, ...units };
}

function peakRssBytes(): number {
  return process.resourceUsage().maxRSS * KIBIBYTE;
}
