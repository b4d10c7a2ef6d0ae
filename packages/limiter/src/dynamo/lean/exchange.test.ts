import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Exchange } from './exchange.js';

/** Undici's side of an exchange, as far as one looks at it. */
class Controller {
  aborted: unknown;
  readonly reason = null;
  readonly paused = false;

  abort(reason: Error): void {
    this.aborted = reason;
  }

  pause(): void {}
  resume(): void {}
}

function start(): { exchange: Exchange; controller: never; aborted: () => unknown; ended: Promise<unknown> } {
  const controller = new Controller();
  let exchange: Exchange | undefined;
  const ended = new Promise((resolve, reject) => {
    exchange = new Exchange({ resolve, reject }, 1_000, () => 1_800_000_000_000 + Date.now());
  }).catch((error: unknown) => error);
  return { exchange: exchange as unknown as Exchange, controller: controller as never, aborted: () => controller.aborted, ended };
}

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

describe('an exchange whose time is over', () => {
  it('before it was sent says so, and is not sent when its turn comes', async () => {
    const { exchange, controller, aborted, ended } = start();

    vi.advanceTimersByTime(1_000);
    exchange.onRequestStart(controller);

    expect(await ended).toMatchObject({ name: 'NeverSentError' });
    expect(aborted()).toBeInstanceOf(Error);
  });

  it('after it was sent may have happened, and its connection is given up', async () => {
    const { exchange, controller, aborted, ended } = start();
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 200, {});

    vi.advanceTimersByTime(1_000);

    expect(await ended).toMatchObject({ name: 'TimeoutError' });
    expect(aborted()).toBeInstanceOf(Error);
  });

  it('does not hear what comes later', async () => {
    const { exchange, controller, ended } = start();
    exchange.onRequestStart(controller);
    vi.advanceTimersByTime(1_000);

    exchange.onResponseEnd();
    exchange.onResponseError(controller, new Error('aborted'));

    expect(await ended).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('an exchange that ended in time', () => {
  it('leaves no timer', async () => {
    const { exchange, controller, ended } = start();
    exchange.onRequestStart(controller);
    vi.advanceTimersByTime(7);
    exchange.onResponseStart(controller, 200, { date: 'Mon, 01 Jan 2029 00:00:00 GMT' });
    exchange.onResponseData(controller, Buffer.from('{}'));

    exchange.onResponseEnd();

    expect(await ended).toEqual({
      status: 200,
      date: 'Mon, 01 Jan 2029 00:00:00 GMT',
      sentMs: 1_800_000_000_000,
      receivedMs: 1_800_000_000_007,
      body: Buffer.from('{}'),
    });
    expect(vi.getTimerCount()).toBe(0);
  });
});
