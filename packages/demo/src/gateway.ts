import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMillraceError, RateLimitExceeded } from '@millrace/limiter';
import { type Model, ModelFailed } from './model-stub.js';
import { limitsOf, MODEL } from './organisation.js';
import { estimateTokens } from './tokens.js';
import type { WitnessedLimiter } from './witnessed-limiter.js';

/** What the gateway answers with. */
interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A gateway that listens. */
export interface Gateway extends AsyncDisposable {
  readonly url: string;
}

const MAX_BODY_BYTES = 1_000_000;

/** Opens an HTTP server on this machine that lets a call through to the model if its API key's limits admit it. */
export async function openGateway(limiter: WitnessedLimiter, model: Model): Promise<Gateway> {
  const server = createServer((request, response) => {
    answer(limiter, model, request)
      .catch(answerForError)
      .then((reply) => send(response, reply));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/completions`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function answer(limiter: WitnessedLimiter, model: Model, request: IncomingMessage): Promise<Answer> {
  if (request.method !== 'POST' || request.url !== '/v1/completions') return refusal(404, 'not_found', 'POST /v1/completions');
  const apiKey = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (apiKey === undefined || limitsOf(apiKey) === undefined) return refusal(401, 'unauthorized', 'send a known API key as a bearer token');
  const asked = await readRequest(request);
  if (asked === undefined) return refusal(400, 'bad_request', 'send { "prompt": string, "max_tokens": number } as JSON');

  const estimate = estimateTokens(asked.prompt) + asked.maxTokens;
  return limiter.withLease(apiKey, MODEL, { rpm: 1, tpm: estimate }, async (lease) => {
    const { text, promptTokens, outputTokens } = await model.complete(asked.prompt, asked.maxTokens);
    const used = promptTokens + outputTokens;
    await lease.adjust({ tpm: used - estimate });
    return { status: 200, body: { model: MODEL, text, usage: { promptTokens, outputTokens, totalTokens: used } } };
  });
}

function answerForError(error: unknown): Answer {
  if (error instanceof RateLimitExceeded) {
    const blocking = error.violations.map(({ entity, limit }) => ({ entity, limit }));
    const body = { error: { code: 'rate_limited', message: error.message, retryAfterMs: error.retryAfterMs, blocking } };
    return { status: 429, body, headers: error.headers() };
  }
  if (error instanceof ModelFailed) return refusal(502, 'model_failed', error.message);
  if (isMillraceError(error) && error.code === 'VALIDATION') return refusal(400, 'bad_request', error.message);
  if (isMillraceError(error)) return refusal(503, error.code.toLowerCase(), error.message);
  return refusal(500, 'internal', error instanceof Error ? error.message : String(error));
}

function refusal(status: number, code: string, message: string): Answer {
  return { status, body: { error: { code, message } } };
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function readRequest(request: IncomingMessage): Promise<{ readonly prompt: string; readonly maxTokens: number } | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    const { prompt, max_tokens: maxTokens } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
    const isValid = typeof prompt === 'string' && Number.isSafeInteger(maxTokens) && (maxTokens as number) > 0;
    return isValid ? { prompt, maxTokens: maxTokens as number } : undefined;
  } catch {
    return undefined;
  }
}
