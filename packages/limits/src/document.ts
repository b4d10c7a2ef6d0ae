import { type Document, isAlias, isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { ManifestIssue, ManifestPath } from './manifest-error.js';

/** What a text holds, in plain values, and where. */
export interface ParsedText {
  /** Objects have no prototype: a name like `__proto__` is a name. */
  readonly value: unknown;
  /** What is wrong with the text itself; `value` means nothing then. */
  readonly issues: readonly ManifestIssue[];
  /** The line, from 1, of what is at a place, or of the nearest thing around it. */
  lineOf(path: ManifestPath): number | undefined;
}

/** No manifest is nested deeper; a text that is would only exhaust the stack. */
const MAX_DEPTH = 50;

/**
 * Reads YAML, and JSON as a part of it. Nothing in it is run. A name is what is written: `0123` and `~` are names like
 * any other, though YAML means a number and nothing by them. An alias means the same value again, not a copy, so a text
 * that refers to itself a billion times costs nothing.
 */
export function parseText(text: string): ParsedText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false, version: '1.2' });
  const reader = new Reader(document, lines);
  for (const { message, pos } of [...document.errors, ...document.warnings]) reader.report(firstLine(message), pos[0]);
  // What was not understood is not looked at: it would only make up more mistakes.
  const value = reader.issues.length > 0 ? undefined : reader.read(document.contents, 0);
  return { value, issues: reader.issues, lineOf: (path) => reader.lineOf(path) };
}

class Reader {
  readonly issues: ManifestIssue[] = [];
  readonly #document: Document;
  readonly #lines: LineCounter;
  /** What each anchor means, up to where was read: an anchor may be given twice, and the last one before holds. */
  readonly #anchors = new Map<string, { readonly node: Node; readonly value: unknown }>();
  readonly #targets = new Map<Node, Node>();

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  report(message: string, offset: number | undefined): void {
    this.issues.push({ path: [], message, ...(offset === undefined ? {} : { line: this.#lines.linePos(offset).line }) });
  }

  read(node: unknown, depth: number): unknown {
    if (depth > MAX_DEPTH) {
      this.report(`nothing in a manifest is nested more than ${MAX_DEPTH} deep`, offsetOf(node));
      return undefined;
    }
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target === undefined) this.report(`there is no anchor "${node.source}" before this alias`, offsetOf(node));
      else this.#targets.set(node, target.node);
      return target?.value;
    }
    const value = this.#readOwn(node, depth);
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined) this.#anchors.set(node.anchor, { node, value });
    return value;
  }

  #readOwn(node: unknown, depth: number): unknown {
    if (isSeq(node)) return node.items.map((item) => this.read(item, depth + 1));
    if (isScalar(node)) return node.value;
    if (!isMap(node)) return null;
    const value: Record<string, unknown> = Object.create(null);
    for (const pair of node.items) {
      const key = keyOf(pair.key);
      if (key === undefined || (key === '<<' && isScalar(pair.key) && pair.key.type === 'PLAIN')) {
        this.report(
          'a key must be plain text; merge keys (<<) are not read, repeat an anchor by *name',
          offsetOf(pair.key) ?? offsetOf(node),
        );
      } else if (Object.hasOwn(value, key)) {
        this.report(`${JSON.stringify(key)} is given twice`, offsetOf(pair.key));
      } else {
        value[key] = this.read(pair.value, depth + 1);
      }
    }
    return value;
  }

  lineOf(path: ManifestPath): number | undefined {
    let node: unknown = this.#document.contents;
    let offset = offsetOf(node);
    for (const step of path) {
      const whole = this.#targets.get(node as Node) ?? node;
      const found = isSeq(whole)
        ? whole.items[Number(step)]
        : isMap(whole)
          ? whole.items.find((pair) => keyOf(pair.key) === step)
          : undefined;
      if (found === undefined) break;
      offset = offsetOf(isPair(found) ? found.key : found) ?? offset;
      node = isPair(found) ? found.value : found;
    }
    return offset === undefined ? undefined : this.#lines.linePos(offset).line;
  }
}

/** A name as it is written; undefined for a key that is none. */
function keyOf(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  if (key.type === 'PLAIN') return key.source ?? String(key.value ?? '');
  return typeof key.value === 'string' ? key.value : undefined;
}

function offsetOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}

function firstLine(message: string): string {
  return message.split('\n')[0] ?? message;
}
