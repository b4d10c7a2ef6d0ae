import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Check, fail, skip } from '../doctor/check.js';
import { checkClock, checkConnection, checkEndpoint } from '../doctor/reach.js';
import { checkTable } from '../doctor/table.js';
import { EXIT } from '../exit-codes.js';
import type { Globals } from '../globals.js';
import type { Style } from '../render/style.js';
import { padEnd, safe } from '../render/text.js';
import { type Answer, addCommand, answering, type Cli } from '../session.js';

const TABLE_CHECKS = ['table', 'keys', 'schema', 'time to live', 'stream', 'usage index', 'namespace', 'limits'] as const;

/** `millrace doctor`: what works and what does not, one by one. */
export function addDoctor(program: Command, cli: Cli): void {
  addCommand(
    program,
    'doctor',
    'check one by one what it takes to reach the table and to limit with it; writes nothing; exit code 1 if a check fails',
    'millrace doctor --table millrace --namespace acme',
  ).action(answering(cli, async ({ globals }) => report(await examine(globals))));
}

async function examine(globals: Globals): Promise<readonly Check[]> {
  const { checks, endpoint } = await checkConnection(globals);
  if (endpoint === undefined) return [...checks, ...skip(['clock', ...TABLE_CHECKS], 'a way to reach DynamoDB')];
  const reached = await checkEndpoint(endpoint);
  if (reached.result !== 'ok') return [...checks, reached, ...skip(['clock', ...TABLE_CHECKS], 'an endpoint that answers')];
  const clock = await checkClock(endpoint, { nowMs: Date.now, sleep: (ms) => sleepFor(ms) });
  return [...checks, reached, clock, ...(await tableChecks(globals))];
}

async function tableChecks(globals: Globals): Promise<readonly Check[]> {
  if (globals.table !== undefined) return checkTable(globals);
  return [fail('table', 'no table is named', 'give --table <name>, or set MILLRACE_TABLE'), ...skip(TABLE_CHECKS.slice(1), 'a table')];
}

function report(checks: readonly Check[]): Answer {
  const isOk = checks.every(({ result }) => result === 'ok' || result === 'warn');
  return {
    json: { ok: isOk, checks },
    text: (style) => checks.map((check) => lineOf(check, style)).join(''),
    exitCode: isOk ? EXIT.ok : EXIT.failed,
  };
}

const RESULT_WIDTH = 'fail'.length;
const NAME_WIDTH = 'time to live'.length;

function lineOf({ check, result, found, todo }: Check, style: Style): string {
  const colour = { ok: style.good, warn: style.warn, fail: style.bad, skip: style.dim }[result];
  const advice = todo === undefined ? '' : `; ${todo}`;
  return `${colour(padEnd(result, RESULT_WIDTH))}  ${padEnd(check, NAME_WIDTH)}  ${safe(found + advice)}\n`;
}
