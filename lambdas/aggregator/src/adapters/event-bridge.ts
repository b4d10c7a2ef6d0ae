import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { EventSink, ThresholdEvent } from '../ports.js';

const MOST_ENTRIES = 10;

/** Threshold events on a bus of EventBridge: source `millrace`, detail type `Limit Threshold Crossed`. */
export class EventBridgeSink implements EventSink {
  readonly #client: Pick<EventBridgeClient, 'send'>;
  readonly #bus: string;
  readonly #timeoutMs: number;

  constructor(client: Pick<EventBridgeClient, 'send'>, bus: string, timeoutMs: number) {
    this.#client = client;
    this.#bus = bus;
    this.#timeoutMs = timeoutMs;
  }

  async publish(events: readonly ThresholdEvent[], mayBegin: () => boolean): Promise<void> {
    for (let start = 0; start < events.length; start += MOST_ENTRIES) {
      if (!mayBegin()) throw new Error(`there was no time left to send ${events.length - start} of ${events.length} events`);
      const entries = events.slice(start, start + MOST_ENTRIES).map((event) => ({
        EventBusName: this.#bus,
        Source: 'millrace',
        DetailType: 'Limit Threshold Crossed',
        Detail: JSON.stringify(event),
      }));
      const command = new PutEventsCommand({ Entries: entries });
      const answer = await this.#client.send(command, { abortSignal: AbortSignal.timeout(this.#timeoutMs) });
      const refused = answer.Entries?.find(({ ErrorCode: code }) => code !== undefined);
      if (refused !== undefined) throw new Error(`EventBridge refused an event: ${refused.ErrorCode} ${refused.ErrorMessage ?? ''}`);
    }
  }
}
