import type { WireError } from './wire-error.js';

/** The time that signatures say. DynamoDB refuses one that is five minutes off, and says in its reply what time it is. */
export class SigningClock {
  readonly #nowMs: () => number;
  #offsetMs = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs() + this.#offsetMs;
  }

  /**
   * Takes the time of a reply over, after a request that was signed at `signedMs` was refused for its time. False if that
   * was the right time, so that another signature would be no better.
   */
  correct(date: string | undefined, signedMs: number): boolean {
    const serverMs = Date.parse(date ?? '');
    if (Number.isNaN(serverMs)) return false;
    this.#offsetMs = serverMs - this.#nowMs();
    return Math.abs(serverMs - signedMs) >= SURELY_OFF_MS;
  }
}

/** A reply says whole seconds, and takes its time to come; nothing below that is refused. */
const SURELY_OFF_MS = 60_000;

const BY_TIME: ReadonlySet<string> = new Set(['RequestTimeTooSkewed', 'RequestExpired']);
const BY_KEY: ReadonlySet<string> = new Set([
  'ExpiredTokenException',
  'ExpiredToken',
  'UnrecognizedClientException',
  'InvalidSignatureException',
]);

/** What another signature might mend: the time that it says, or the credentials that it is made with. */
export function mendable({ name, message }: WireError): 'time' | 'credentials' | undefined {
  if (BY_TIME.has(name)) return 'time';
  if (name === 'InvalidSignatureException' && /signature (expired|not yet current)/i.test(message)) return 'time';
  return BY_KEY.has(name) ? 'credentials' : undefined;
}
