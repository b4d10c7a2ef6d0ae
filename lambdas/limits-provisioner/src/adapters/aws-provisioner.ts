import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Sleep } from '@millrace/core';
import type { Home } from '../ports.js';
import { makeProvisioner, type Provisioner } from '../provisioner.js';
import { openPlace, type Reaching } from './open-place.js';
import { sendAnswer } from './send-answer.js';

/** What a test replaces; what is left out is AWS's own, by the usual chain. */
export interface AwsParts {
  readonly reaching?: Reaching;
  readonly fetch?: typeof fetch;
  readonly write?: (line: string) => void;
  readonly sleep?: Sleep;
  readonly nowMs?: () => number;
}

const SYSTEM_SLEEP: Sleep = (ms, signal) =>
  sleepFor(Math.max(0, ms), undefined, signal === undefined ? {} : { signal: signal as AbortSignal }).catch(() => undefined);

/** The function with everything that it needs of AWS. It sends nothing before it is invoked. */
export function awsProvisioner(home: () => Home, parts: AwsParts = {}): Provisioner {
  const { fetch: send = fetch, sleep = SYSTEM_SLEEP, nowMs = () => Date.now() } = parts;
  // Not by console.log: Lambda puts words of its own before each of its lines.
  const write = parts.write ?? ((line: string) => void process.stdout.write(`${line}\n`));
  return makeProvisioner({
    home,
    open: (place, options) => openPlace(place, options, parts.reaching),
    answer: (url, text) => sendAnswer(url, text, send, sleep),
    log: (entry) => write(JSON.stringify(entry)),
    sleep,
    clock: { nowMs },
  });
}
