import { setMaxListeners } from 'node:events';
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { ApiKey, LimitName } from './organisation.js';
import type { Prompt } from './prompts.js';
import type { Tally } from './tally.js';

/** What clients share. */
export interface ClientParts {
  readonly url: string;
  readonly prompts: readonly Prompt[];
  readonly tally: Tally;
  readonly nowMs: () => number;
  /** When it is aborted, calls on the wire end as they do, and no more begin. */
  readonly stop: AbortSignal;
}

/** The fields of the gateway's answers that a client reads. */
interface Reply {
  readonly usage?: { readonly totalTokens: number };
  readonly error?: { readonly message: string; readonly blocking?: readonly { readonly entity: string; readonly limit: LimitName }[] };
}

/** What came back; status 0 where nothing did. */
interface Answer {
  readonly status: number;
  readonly retryAfterSec: number;
  readonly reply: Reply;
}

const MAX_OUTPUT_TOKENS = 120;
const MAX_TRIES = 4;
/** One client in three has no patience: it comes back after this long, whatever it was told. */
const EARLY_MS = 250;
const IMPATIENT_EVERY = 3;

/** Lets all clients of these keys call until they are stopped, and the last answers are in. */
export async function driveClients(keys: readonly ApiKey[], parts: ClientParts): Promise<void> {
  let calls = 0;
  const clients = keys.flatMap((key) => Array.from({ length: key.clients }, () => key));
  // Every client listens while it rests; Node takes more than ten listeners for a leak.
  setMaxListeners(clients.length, parts.stop);
  await Promise.all(
    clients.map(async (key, number) => {
      // Not all at the same moment: clients of the world do not start together either.
      await restFor((key.restMs * number) / clients.length, parts.stop);
      while (!parts.stop.aborted) {
        calls += 1;
        await call(key.id, parts.prompts[calls % parts.prompts.length] as Prompt, number % IMPATIENT_EVERY === 2, parts);
        await restFor(key.restMs, parts.stop);
      }
    }),
  );
}

/** One call, from its first try until it is answered, has failed or is given up. */
async function call(apiKey: string, prompt: Prompt, isImpatient: boolean, parts: ClientParts): Promise<void> {
  const { tally, nowMs, stop } = parts;
  const firstMs = nowMs();
  for (let tries = 1; ; tries += 1) {
    const waitedMs = nowMs() - firstMs;
    const answer = await post(parts.url, apiKey, prompt.text);
    if (answer.status !== 429) {
      noteEnd(tally, apiKey, answer, waitedMs);
      return;
    }

    tally.refusal(answer.retryAfterSec > 0, answer.reply.error?.blocking ?? []);
    if (tries === MAX_TRIES) {
      tally.of(apiKey).gaveUp += 1;
      return;
    }
    await restFor(isImpatient ? EARLY_MS : answer.retryAfterSec * 1000, stop);
    if (stop.aborted) {
      tally.of(apiKey).cutOff += 1;
      return;
    }
    if (isImpatient) tally.refused.cameBackEarly += 1;
    else tally.refused.waitedAsTold += 1;
  }
}

function noteEnd(tally: Tally, apiKey: string, { status, reply }: Answer, waitedMs: number): void {
  const mine = tally.of(apiKey);
  if (status === 200 && reply.usage !== undefined) {
    mine.answered += 1;
    mine.tokensUsed += reply.usage.totalTokens;
    mine.longestWaitMs = Math.max(mine.longestWaitMs, waitedMs);
  } else if (status === 502) {
    mine.failed += 1;
  } else {
    mine.unexpected += 1;
    tally.firstUnexpected ??= `${status === 0 ? '' : `${status}: `}${reply.error?.message ?? 'no reason given'} (${apiKey})`;
  }
}

async function post(url: string, apiKey: string, prompt: string): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt, max_tokens: MAX_OUTPUT_TOKENS }),
    });
    const reply = (await response.json()) as Reply;
    return { status: response.status, retryAfterSec: Number(response.headers.get('retry-after') ?? 0), reply };
  } catch (error) {
    return { status: 0, retryAfterSec: 0, reply: { error: { message: `no answer: ${String((error as Error).cause ?? error)}` } } };
  }
}

/** Rests, or ends at once when it is time to stop. */
async function restFor(ms: number, stop: AbortSignal): Promise<void> {
  await sleepFor(ms, undefined, { signal: stop }).catch(() => undefined);
}
