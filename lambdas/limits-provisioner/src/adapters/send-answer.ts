import type { Sleep } from '@millrace/core';

const TRIES = 4;
const TIMEOUT_MS = 3_000;
const PAUSE_MS = 500;

/**
 * Puts an answer where CloudFormation waits for it. The address carries its own signature, which is of a request without a
 * type of content. What was not taken is sent again, four times in all; a refusal is not.
 *
 * @throws Error if it could not be sent; the address is not in it, as whoever has it may answer
 */
export async function sendAnswer(url: string, text: string, send: typeof fetch, sleep: Sleep): Promise<void> {
  // Bytes, not text: for text a type would be said.
  const body = new TextEncoder().encode(text);
  for (let tries = 1; ; tries += 1) {
    const problem = await putOnce(url, body, send);
    if (problem === undefined) return;
    if (problem.isFinal || tries === TRIES) throw new Error(`CloudFormation did not take the answer: ${problem.what}`);
    await sleep(PAUSE_MS * tries);
  }
}

interface Problem {
  readonly what: string;
  readonly isFinal: boolean;
}

async function putOnce(url: string, body: Uint8Array<ArrayBuffer>, send: typeof fetch): Promise<Problem | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await send(url, { method: 'PUT', headers: { 'content-type': '' }, body, signal, redirect: 'error' });
    await response.arrayBuffer();
    if (response.ok) return undefined;
    return { what: `status ${response.status}`, isFinal: response.status < 500 && response.status !== 408 && response.status !== 429 };
  } catch (error) {
    const { name, cause } = error as { readonly name?: string; readonly cause?: { readonly code?: unknown } };
    return { what: String(cause?.code ?? name ?? 'no connection'), isFinal: false };
  }
}
