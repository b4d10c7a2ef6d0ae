import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SupervisedProcess } from './supervised-process.js';

const pollMs = 5;
const requestTimeoutMs = 2_000;
const settleMs = 500;

/** Waits until the engine behind `endpoint` answers; an `Error` as soon as its process ends, or at the deadline. */
export async function awaitAnswer(who: string, endpoint: string, engine: SupervisedProcess, deadlineMs: number): Promise<void> {
  const startedAtMs = performance.now();
  let answeredAtMs: number | undefined;
  while (performance.now() - startedAtMs < deadlineMs) {
    if (engine.hasEnded()) throw new Error(`${who} ended before it answered. ${lastWords(engine)}`);
    if (await answers(endpoint)) {
      answeredAtMs ??= performance.now();
      // The answer may be another's who won the port from us. Ours is the one that says it listens; an engine that
      // says nothing gets time to fail on the port.
      if (/listening/i.test(engine.stderrTail()) || performance.now() - answeredAtMs > settleMs) return;
    }
    await Promise.race([engine.ended, sleep(pollMs)]);
  }
  throw new Error(`${who} runs but gave no answer at ${endpoint} within ${deadlineMs} ms. ${lastWords(engine)}`);
}

/** True on any answer of a server: refusing an unsigned request is one. A server that is not ready says 5xx. */
function answers(endpoint: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request(endpoint, {
      method: 'POST',
      // A connection of its own: one kept alive would hold up the engine's end.
      agent: false,
      timeout: requestTimeoutMs,
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.ListTables' },
    });
    call.on('timeout', () => call.destroy(new Error('no answer in time')));
    call.on('error', () => resolve(false));
    call.on('response', (response) => {
      response.resume();
      resolve((response.statusCode ?? 500) < 500);
    });
    call.end('{}');
  });
}

function lastWords(engine: SupervisedProcess): string {
  const tail = engine.stderrTail();
  return tail === '' ? 'It wrote nothing to stderr.' : `It wrote to stderr:\n${tail}`;
}
