import { Limit } from '@millrace/core';

/** Requests and tokens a minute of each model. */
const MODELS = {
  'gpt-4o': [500, 800_000],
  'gpt-4o-mini': [2_000, 4_000_000],
  'gpt-4.1': [500, 800_000],
  o1: [100, 200_000],
  'o3-mini': [500, 1_000_000],
  'claude-sonnet': [1_000, 2_000_000],
  'claude-haiku': [2_000, 4_000_000],
  'gemini-flash': [1_000, 4_000_000],
} as const;

/** What a chat reserves, and between what its real use lies. */
export const RESERVED_TOKENS = 800;
const [LEAST, MOST] = [200, 2_000];

const NAMES = Object.keys(MODELS);

/** The limits of each model, or of so many customers of it together. */
export function modelLimits(customers = 1): Readonly<Record<string, readonly Limit[]>> {
  const limits = Object.entries(MODELS).map(([model, [rpm, tpm]]) => {
    return [model, [Limit.perMinute('rpm', customers * rpm), Limit.perMinute('tpm', customers * tpm)]];
  });
  return Object.fromEntries(limits);
}

/** The requests a minute of all models, each as a limit. */
export const MODEL_REQUESTS: readonly Limit[] = Object.values(MODELS).map(([rpm]) => Limit.perMinute('rpm', rpm));

/** One of the models. */
export function modelFor(random: number): string {
  return NAMES[Math.floor(random * NAMES.length)] ?? 'o1';
}

/** The tokens that a chat turns out to have used. */
export function usedTokens(random: number): number {
  return LEAST + Math.floor(random * (MOST - LEAST + 1));
}
