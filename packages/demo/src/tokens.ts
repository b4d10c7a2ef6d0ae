import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';

/** The encoding of the models that the tokens are counted for. */
export const ENCODING = 'o200k_base';

const NO_SPECIAL_TOKENS = { disallowedSpecial: new Set<string>() };

/** The tokens of a text. A text that spells a control token (`<|endoftext|>`) is only text. */
export function countTokens(text: string): number {
  return count(text, NO_SPECIAL_TOKENS);
}

/** A guess before the tokens are counted: English has four characters to a token. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
