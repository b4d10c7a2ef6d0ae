import { crc32 } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { WireError } from '../../wire/wire-error.js';

/** What came back: the whole body, whatever the status. */
export interface RawReply {
  readonly status: number;
  /** The header `date`; undefined if there is none. */
  readonly date: string | undefined;
  /** When its request was written, and when its head came, by the clock that is being watched. */
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly body: Buffer;
}

/** DynamoDB's largest reply is 16 MB. */
const MAX_REPLY_BYTES = 32 * 1024 * 1024;

type Settle = { readonly resolve: (reply: RawReply) => void; readonly reject: (error: unknown) => void };

/**
 * One request on its way. It ends when the reply is whole, when something breaks, or after `timeoutMs`, whichever is
 * first; what comes later is not heard, and a request that was given up before its turn is never sent.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: Settle;
  readonly #timer: NodeJS.Timeout;
  readonly #nowMs: () => number;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #sentMs = 0;
  #receivedMs = 0;
  #date: string | undefined;
  #checksum: string | undefined;
  #bytes = 0;
  #isOver = false;

  /** `nowMs` is the clock by which a reply says when it was sent and received. */
  constructor(settle: Settle, timeoutMs: number, nowMs: () => number) {
    this.#settle = settle;
    this.#nowMs = nowMs;
    this.#timer = setTimeout(() => this.#giveUp(), timeoutMs);
  }

  /** Called right before the first byte is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#sentMs = this.#nowMs();
    if (this.#isOver) controller.abort(new WireError('AbortError', 'given up before it was sent'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.#status = status;
    this.#receivedMs = this.#nowMs();
    const { date, 'x-amz-crc32': checksum } = headers;
    if (typeof date === 'string') this.#date = date;
    if (typeof checksum === 'string') this.#checksum = checksum;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_REPLY_BYTES) controller.abort(new WireError('ReplyTooLarge', `a reply of more than ${MAX_REPLY_BYTES} bytes`));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    if (this.#checksum !== undefined && crc32(body) !== Number(this.#checksum)) {
      this.#fail(new WireError('ChecksumMismatch', 'the reply is not what DynamoDB sent: its checksum differs'));
      return;
    }
    const [status, date, sentMs, receivedMs] = [this.#status, this.#date, this.#sentMs, this.#receivedMs];
    if (this.#end()) this.#settle.resolve({ status, date, sentMs, receivedMs, body });
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#fail(error);
  }

  #giveUp(): void {
    // What was not sent yet has certainly changed nothing.
    const name = this.#controller === undefined ? 'NeverSentError' : 'TimeoutError';
    const error = new WireError(name, 'the time for a reply is over');
    this.#fail(error);
    this.#controller?.abort(error);
  }

  #fail(error: unknown): void {
    if (this.#end()) this.#settle.reject(error);
  }

  /** False if it has ended already. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    return true;
  }
}
