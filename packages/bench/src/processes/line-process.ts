import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const COMPLAINT_CHARACTERS = 2_000;

/** A program of ours in a process of its own, which answers each line that it gets with one. */
export interface LineProcess extends AsyncDisposable {
  /**
   * Sends a line, and gives what the answer to it says.
   *
   * @throws Error with the end of what the process complained of, if it ended instead, or was ended at the deadline
   */
  order<T>(line: string): Promise<T>;
}

/** What is started, how it is called where it fails, and how long one answer may take. */
export interface LineProcessOptions {
  readonly program: string;
  readonly name: string;
  readonly deadlineMs: number;
}

/** Starts a process, so that its memory and its CPU are its own. */
export function startLineProcess({ program, name, deadlineMs }: LineProcessOptions): LineProcess {
  const child = spawn(process.execPath, [program], {
    stdio: 'pipe',
    env: { ...process.env, NODE_NO_WARNINGS: '1', AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
  });
  let complaint = '';
  child.stderr.on('data', (text: Buffer) => {
    complaint = (complaint + String(text)).slice(-COMPLAINT_CHARACTERS);
  });
  // A write to a process that has just ended must not end this one: its end is what is told.
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async order<T>(text: string) {
      child.stdin.write(`${text}\n`);
      const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
      const { value: line, done } = await lines.next().finally(() => clearTimeout(timer));
      if (done !== true) return JSON.parse(line) as T;
      const [code, signal] = await closed;
      throw new Error(`${name} ended (${code ?? signal}): ${complaint.trim()}`);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
