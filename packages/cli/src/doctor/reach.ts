import http from 'node:http';
import https from 'node:https';
import { isMillraceError } from '@millrace/core';
import type { ConnectionDescription } from '@millrace/limiter/admin';
import { reportOf } from '../failure.js';
import { connectionOf, type Globals } from '../globals.js';
import { duration } from '../render/figures.js';
import { type Check, fail, ok, skip, warn } from './check.js';
import { agree, type ClockOffset, type ClockParts, compareClocks, isClear } from './clock.js';

/** A limiter reports an error of its clock beyond this. */
const TOLERANCE_MS = 250;
const TIMEOUT_MS = 5_000;

/** Checks how DynamoDB is to be reached, by AWS's usual chain: where, and as whom. Sends nothing to it. */
export async function checkConnection(globals: Globals): Promise<{ readonly checks: readonly Check[]; readonly endpoint?: string }> {
  const { describeConnection } = await import('@millrace/limiter/admin');
  try {
    const { region, accessKeyId, endpoint } = await describeConnection(connectionOf(globals));
    return { checks: [ok('region', region), ok('credentials', shortened(accessKeyId))], endpoint };
  } catch (error) {
    return { checks: connectionFailure(error) };
  }
}

function connectionFailure(error: unknown): readonly Check[] {
  const { code, message, hint } = reportOf(error);
  if (code === 'CREDENTIALS') return [ok('region', 'set'), fail('credentials', message, hint), ...skip(['endpoint'], 'credentials')];
  const subject = isMillraceError(error) && 'subject' in error ? String(error.subject) : '';
  if (subject.includes('region')) {
    return [fail('region', message, 'give --region, or set AWS_REGION'), ...skip(['credentials', 'endpoint'], 'a region')];
  }
  return [fail('endpoint', message, 'check --endpoint, AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL')];
}

/** The end of an access key: enough to tell which it is. */
function shortened(accessKeyId: ConnectionDescription['accessKeyId']): string {
  return `access key …${accessKeyId.slice(-4)}`;
}

/** Checks whether anything answers there at all; a plain request without a signature needs no permission. */
export async function checkEndpoint(endpoint: string): Promise<Check> {
  const startedMs = performance.now();
  try {
    await dateOf(endpoint);
    return ok('endpoint', `${endpoint} answers in ${duration(performance.now() - startedMs)}`);
  } catch (error) {
    return fail('endpoint', `${endpoint} does not answer: ${reasonOf(error)}`, 'check --endpoint, --region, and the network between');
  }
}

/** Checks this machine's clock against the server's. */
export async function checkClock(endpoint: string, parts: Pick<ClockParts, 'nowMs' | 'sleep'>): Promise<Check> {
  const offset = await compareClocks({ ...parts, dateMs: () => dateOf(endpoint) }, TOLERANCE_MS).catch(() => undefined);
  return clockCheck(offset);
}

/** What a comparison of clocks means. */
function clockCheck(offset: ClockOffset | undefined): Check {
  if (offset === undefined) return warn('clock', 'the server did not say what time it is', 'see that this machine keeps its clock by NTP');
  const { minMs, maxMs } = offset;
  const width = `${signed(minMs)} to ${signed(maxMs)} ms`;
  if (agree(offset, TOLERANCE_MS)) return ok('clock', `agrees with the server's (it is ${width} ahead of this one)`);
  const todo = 'set this machine to keep its clock by NTP: waits and refusals are wrong by the difference';
  if (!isClear(offset, TOLERANCE_MS))
    return warn('clock', `may differ by more than ${TOLERANCE_MS} ms (the server's is ${width} ahead)`, todo);
  const off = duration(Math.abs((minMs + maxMs) / 2));
  return fail('clock', `this machine's clock is about ${off} ${minMs > 0 ? 'behind' : 'ahead of'} the server's`, todo);
}

function signed(ms: number): string {
  return String(Math.round(ms));
}

/** The time that an answer of the server says, whatever else it says. Not by fetch, which refuses ports that it finds odd. */
function dateOf(endpoint: string): Promise<number | undefined> {
  const get = endpoint.startsWith('https:') ? https.get : http.get;
  return new Promise((resolve, reject) => {
    const request = get(endpoint, { agent: false, timeout: TIMEOUT_MS }, (response) => {
      response.resume();
      const date = Date.parse(response.headers.date ?? '');
      response.once('end', () => resolve(Number.isNaN(date) ? undefined : date));
      response.once('error', reject);
    });
    request.once('timeout', () => request.destroy(new Error(`no answer within ${duration(TIMEOUT_MS)}`)));
    request.once('error', reject);
  });
}

/** What stood in the way. An address of several numbers fails with an error that only collects others. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return message === '' ? (code ?? 'nobody says why') : message;
}
