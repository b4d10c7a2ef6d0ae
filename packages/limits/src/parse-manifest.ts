import { checkKeys, ValidationError } from '@millrace/core';
import { checkManifest } from './check-manifest.js';
import { parseText } from './document.js';
import type { Manifest } from './manifest.js';
import { ManifestError, type ManifestIssue } from './manifest-error.js';

/** How a manifest is read. */
export interface ParseManifestOptions {
  /** `json` refuses what is YAML only. @default 'yaml', which JSON is a part of */
  readonly format?: 'yaml' | 'json';
}

/**
 * Reads a manifest from text.
 *
 * @throws ManifestError that tells all its mistakes at once, each with its place and line
 */
export function parseManifest(text: string, options: ParseManifestOptions = {}): Manifest {
  if (typeof text !== 'string') throw new ValidationError('manifest', 'text', text);
  checkKeys('options', options, ['format']);
  const { format = 'yaml' } = options;
  if (format !== 'yaml' && format !== 'json') throw new ValidationError('option "format"', '"yaml" or "json"', format);
  const problem = format === 'json' ? jsonProblem(text) : undefined;
  if (problem !== undefined) throw new ManifestError([problem]);
  const parsed = parseText(text);
  if (parsed.issues.length > 0) throw new ManifestError(parsed.issues);
  const { manifest, issues } = checkManifest(parsed.value);
  if (manifest !== undefined) return manifest;
  throw new ManifestError(
    issues.map((issue) => {
      const line = parsed.lineOf(issue.path);
      return line === undefined ? issue : { ...issue, line };
    }),
  );
}

/** What makes a text no JSON. It is read as YAML nevertheless, which knows lines and keys that are given twice. */
function jsonProblem(text: string): ManifestIssue | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    // Some versions of Node quote the text, line breaks and all, and some say where the mistake is.
    const message = (error as SyntaxError).message.replace(/\s+/g, ' ');
    const position = /at position (\d+)/.exec(message)?.[1];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    return { path: [], message, ...(line === undefined ? {} : { line }) };
  }
}
