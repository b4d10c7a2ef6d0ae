import { readFile } from 'node:fs/promises';
import type { Manifest } from '@millrace/limits';
import { CliFailure } from '../failure.js';
import type { Session } from '../session.js';

/** Reads a manifest from a file, or from stdin where the file is `-`. JSON is a part of YAML; a file named .json must be JSON. */
export async function readManifest(file: string, { input }: Pick<Session, 'input'>): Promise<Manifest> {
  const text = file === '-' ? await textOf(input) : await textIn(file);
  const { parseManifest } = await import('@millrace/limits');
  return parseManifest(text, { format: file.endsWith('.json') ? 'json' : 'yaml' });
}

async function textIn(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : (error as Error).message;
    throw new CliFailure(
      'FILE',
      `cannot read the manifest ${JSON.stringify(file)}: ${why}`,
      'give the path of a YAML or JSON file, or - for stdin',
    );
  }
}

async function textOf(input: NodeJS.ReadableStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of input) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}
