import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { EventSink, ThresholdEvent, UnsentEvents } from '../ports.js';

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

  /** What the bus refuses, of a request or all of it, keeps none of the others from being sent. */
  async publish(events: readonly ThresholdEvent[], mayBegin: () => boolean): Promise<UnsentEvents> {
    const unsent: ThresholdEvent[] = [];
    let reason: string | undefined;
    for (let start = 0; start < events.length; start += MOST_ENTRIES) {
      const left = events.slice(start);
      if (!mayBegin()) {
        reason ??= `there was no time left to send ${left.length} of ${events.length} events`;
        unsent.push(...left);
        break;
      }
      const answer = await this.#put(left.slice(0, MOST_ENTRIES));
      unsent.push(...answer.events);
      reason ??= answer.reason;
    }
    return { events: unsent, ...(reason === undefined ? {} : { reason }) };
  }

  async #put(events: readonly ThresholdEvent[]): Promise<UnsentEvents> {
    const entries = events.map((event) => ({
      EventBusName: this.#bus,
      Source: 'millrace',
      DetailType: 'Limit Threshold Crossed',
      Detail: JSON.stringify(event),
    }));
    try {
      const command = new PutEventsCommand({ Entries: entries });
      // In the order of the entries, each with an id, or with what was wrong with it.
      const { Entries: answers = [] } = await this.#client.send(command, { abortSignal: AbortSignal.timeout(this.#timeoutMs) });
      const refused = answers.find(({ ErrorCode: code }) => code !== undefined);
      if (refused === undefined) return { events: [] };
      return {
        events: events.filter((_, index) => answers[index]?.ErrorCode !== undefined),
        reason: `EventBridge refused an event: ${refused.ErrorCode} ${refused.ErrorMessage ?? ''}`.trimEnd(),
      };
    } catch (error) {
      return { events, reason: error instanceof Error ? error.message : String(error) };
    }
  }
}
