import { setTimeout as sleepFor } from 'node:timers/promises';
import { firstSentences } from './summary.js';
import { countTokens } from './tokens.js';

/** An answer of the model, and the tokens that it really took. */
interface Completion {
  readonly text: string;
  readonly promptTokens: number;
  readonly outputTokens: number;
}

/** Stands where an LLM would: it takes time, it answers with part of the text, and now and then it fails. */
export interface Model {
  complete(prompt: string, maxTokens: number): Promise<Completion>;
}

/** The model broke off half-way. */
export class ModelFailed extends Error {
  override readonly name = 'ModelFailed';
}

const FIRST_MS = 30;
const PROMPT_TOKEN_MS = 0.02;
const OUTPUT_TOKEN_MS = 1.5;
const CHARACTERS_PER_TOKEN = 4;

/** A model that fails every `failsEvery`th call, as far into it as the prompt takes. */
export function modelStub(failsEvery: number): Model {
  let calls = 0;
  return {
    async complete(prompt, maxTokens) {
      calls += 1;
      const fails = calls % failsEvery === 0;
      const promptTokens = countTokens(prompt);
      await sleepFor(FIRST_MS + PROMPT_TOKEN_MS * promptTokens);
      if (fails) throw new ModelFailed('the model broke off; nothing was answered');
      const text = firstSentences(prompt, maxTokens * CHARACTERS_PER_TOKEN);
      const outputTokens = countTokens(text);
      await sleepFor(OUTPUT_TOKEN_MS * outputTokens);
      return { text, promptTokens, outputTokens };
    },
  };
}
