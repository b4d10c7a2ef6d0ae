import http from 'k6/http';
import secrets from 'k6/secrets';
import {
  type Amounts,
  type Answer,
  type Held,
  type Management,
  type ManagementOperation,
  type Session,
  splitDeltas,
} from '../plan/session.js';
import type { RunSettings } from '../plan/settings.js';
import type { Meter } from './meter.js';
import { elapsedMs } from './runtime.js';

/** What the Node service answers. Times are its own: what the SDK took, without the way to it. */
interface GatewayReply {
  readonly tookMs: number;
  readonly lease?: string;
  readonly retryAfterMs?: number;
  readonly amounts?: Amounts;
}

const JSON_BODY = { 'content-type': 'application/json' };

let asked: Promise<string> | undefined;

/** What a public service wants to be shown is a secret of k6: no setting, no argument and no archive holds it. */
async function headersFor({ gatewaySecret }: RunSettings): Promise<Record<string, string>> {
  if (gatewaySecret === undefined) return JSON_BODY;
  asked ??= secrets.get(gatewaySecret);
  return { ...JSON_BODY, authorization: `Bearer ${await asked}` };
}

const EXPECTED = http.expectedStatuses(200, 429);

/** Sends one call to the Node service; undefined where that gave no answer to use. */
async function call(settings: RunSettings, path: string, body: object): Promise<{ status: number; reply: GatewayReply } | undefined> {
  if (settings.gateway === undefined) throw new Error(`scenario "${settings.scenario}" needs the Node service, and there is none`);
  const response = await http.asyncRequest('POST', `${settings.gateway}/${path}`, JSON.stringify(body), {
    headers: await headersFor(settings),
    timeout: `${3 * settings.requestTimeoutMs}ms`,
    tags: { name: path },
    responseCallback: EXPECTED,
  });
  if (response.status !== 200 && response.status !== 429) return undefined;
  return { status: response.status, reply: JSON.parse(String(response.body)) as GatewayReply };
}

/** Administers in the middle of a run: k6 has no document client, and administration is no part of the engine. */
export async function manageThroughGateway<O extends ManagementOperation>(
  settings: RunSettings,
  meter: Meter,
  operation: O,
  given: Management[O],
): Promise<void> {
  const fromMs = elapsedMs();
  const answer = await call(settings, `manage/${operation}`, given);
  if (answer === undefined) meter.failed(elapsedMs() - fromMs);
  else meter.answered(operation, answer.reply.tookMs);
}

/** A limiter behind a Node service: what users ship, with the SDK inside, and a hop more. */
export class GatewaySession implements Session {
  readonly #settings: RunSettings;
  readonly #meter: Meter;

  constructor(settings: RunSettings, meter: Meter) {
    this.#settings = settings;
    this.#meter = meter;
  }

  async acquire(entity: string, resource: string, amounts: Amounts, options: { readonly waitMs?: number } = {}): Promise<Answer> {
    const fromMs = elapsedMs();
    const answer = await call(this.#settings, 'acquire', { entity, resource, amounts, ...options });
    if (answer === undefined) {
      this.#meter.failed(elapsedMs() - fromMs);
      this.#meter.tokens('unknown', amounts);
      return { kind: 'failed' };
    }
    const { tookMs, lease, retryAfterMs = 0 } = answer.reply;
    this.#meter.verdict(lease === undefined);
    if (lease === undefined) {
      this.#meter.answered('rate_limited', tookMs);
      return { kind: 'refused', retryAfterMs };
    }
    this.#meter.answered('acquire', tookMs);
    this.#meter.tokens('taken', amounts);
    return { kind: 'held', held: this.#held(lease, amounts) };
  }

  async available(entity: string, resource: string): Promise<Amounts | undefined> {
    const fromMs = elapsedMs();
    const answer = await call(this.#settings, 'available', { entity, resource });
    if (answer === undefined) this.#meter.failed(elapsedMs() - fromMs);
    else this.#meter.answered('available', answer.reply.tookMs);
    return answer?.reply.amounts;
  }

  manage<O extends ManagementOperation>(operation: O, given: Management[O]): Promise<void> {
    return manageThroughGateway(this.#settings, this.#meter, operation, given);
  }

  #held(lease: string, amounts: Amounts): Held {
    return {
      commit: (deltas = {}) => this.#settle('commit', { lease, deltas }, splitDeltas(deltas)),
      release: () => this.#settle('release', { lease }, { added: {}, returned: amounts }),
    };
  }

  async #settle(
    path: 'commit' | 'release',
    body: object,
    { added, returned }: { readonly added: Amounts; readonly returned: Amounts },
  ): Promise<void> {
    const fromMs = elapsedMs();
    const answer = await call(this.#settings, path, body);
    const isNothing = Object.keys(added).length + Object.keys(returned).length === 0;
    if (answer === undefined) {
      this.#meter.failed(elapsedMs() - fromMs);
      this.#meter.tokens('unknown', added);
      this.#meter.tokens('unknown', returned);
      return;
    }
    // A commit that moves nothing sends nothing to DynamoDB.
    if (isNothing) return;
    this.#meter.answered('commit', answer.reply.tookMs);
    this.#meter.tokens('added', added);
    this.#meter.tokens('returned', returned);
  }
}
