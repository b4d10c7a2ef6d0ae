import type { Live } from '../plan/live.js';
import { ERRORS_RATE, REFUSED_RATE, TURNS_ENDED } from '../plan/series.js';

/** Reads what k6's REST interface says of all metrics. */
function liveOf(said: unknown): Live | undefined {
  const { data } = said as { data?: readonly { readonly id: string; readonly attributes: { readonly sample?: Record<string, number> } }[] };
  const sample = (name: string, key: string): number | undefined => data?.find(({ id }) => id === name)?.attributes.sample?.[key];
  const turns = sample(TURNS_ENDED, 'count');
  if (turns === undefined) return undefined;
  return { turns, refused: sample(REFUSED_RATE, 'rate') ?? 0, errors: sample(ERRORS_RATE, 'rate') ?? 0 };
}

/** Speaks to the k6 process on this host by its REST interface, which is off unless it was given an address. */
export class K6Control {
  readonly #address: string;
  readonly #timeoutMs: number;

  /** @param address `127.0.0.1:6565` */
  constructor(address: string, timeoutMs = 2_000) {
    this.#address = address;
    this.#timeoutMs = timeoutMs;
  }

  /** Whether all virtual users are there and wait for the start. False while nobody answers yet. */
  async isReady(): Promise<boolean> {
    const status = await this.#status().catch(() => undefined);
    return status?.paused === true && status['vus-max'] > 0;
  }

  /** What is known by now; undefined while nobody answers, and where no turn has ended. */
  async live(): Promise<Live | undefined> {
    try {
      const reply = await fetch(`http://${this.#address}/v1/metrics`, { signal: AbortSignal.timeout(this.#timeoutMs) });
      return liveOf(await reply.json());
    } catch {
      return undefined;
    }
  }

  /** Lets a paused run begin. */
  resume(): Promise<void> {
    return this.#change({ paused: false });
  }

  /** Ends a run as if its time were over. */
  stop(): Promise<void> {
    return this.#change({ stopped: true });
  }

  async #status(): Promise<{ paused: boolean; 'vus-max': number }> {
    const reply = await fetch(`http://${this.#address}/v1/status`, { signal: AbortSignal.timeout(this.#timeoutMs) });
    const { data } = (await reply.json()) as { data: { attributes: { paused: boolean; 'vus-max': number } } };
    return data.attributes;
  }

  async #change(attributes: { paused?: boolean; stopped?: boolean }): Promise<void> {
    const reply = await fetch(`http://${this.#address}/v1/status`, {
      method: 'PATCH',
      body: JSON.stringify({ data: { type: 'status', id: 'default', attributes } }),
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    if (!reply.ok)
      throw new Error(`k6 at ${this.#address} answered ${reply.status} to ${JSON.stringify(attributes)}: ${await reply.text()}`);
  }
}
