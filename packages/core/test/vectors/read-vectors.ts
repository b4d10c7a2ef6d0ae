import { readFileSync } from 'node:fs';
import { ANSWERS, type Vector } from './answers.js';

/** The vectors of every kind, from the files beside this one. */
export function readVectors(): ReadonlyMap<string, readonly Vector[]> {
  return new Map(Object.keys(ANSWERS).map((kind) => [kind, readKind(kind)]));
}

function readKind(kind: string): readonly Vector[] {
  return JSON.parse(readFileSync(new URL(`./${kind}.json`, import.meta.url), 'utf8')) as readonly Vector[];
}
