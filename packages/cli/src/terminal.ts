import type { ProgressStream } from './render/progress.js';

/** Where the program reads and writes. In tests it is not a process's own. */
export interface Terminal {
  readonly out: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly err: ProgressStream;
  readonly in: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
}
