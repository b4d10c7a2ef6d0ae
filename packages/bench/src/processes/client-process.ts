import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Answer, Order } from './protocol.js';

/** How long an order may take beyond the time that it asks for, before the client counts as hung. */
const PATIENCE_MS = 120_000;
/** How much of what a client complained of is kept for the error. */
const COMPLAINT_CHARACTERS = 2_000;

/** A client in a process of its own, so that its CPU is its own. */
export class ClientProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #waiting: { resolve(answer: Answer): void; reject(error: Error): void }[] = [];
  #complaint = '';
  #ended = false;

  constructor(command: string, args: readonly string[]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, NODE_NO_WARNINGS: '1' } });
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) => this.#heard(line));
    this.#child.stderr?.on('data', (text: Buffer) => {
      this.#complaint = (this.#complaint + String(text)).slice(-COMPLAINT_CHARACTERS);
    });
    // A write to a process that has just ended must not end this one.
    this.#child.stdin?.on('error', () => undefined);
    this.#child.once('error', (error) => this.#gone(error.message));
    this.#child.once('exit', (code, signal) => this.#gone(`exit ${code ?? signal}`));
  }

  /** Gives an order and waits for its answer. An order that failed is an error here. */
  async order(order: Order): Promise<Answer> {
    if (this.#ended) throw new Error(`the client process has ended: ${this.#complaint}`);
    const patienceMs = PATIENCE_MS + (order.op === 'run' ? order.durationMs : 0);
    let timer: NodeJS.Timeout | undefined;
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      timer = setTimeout(() => this.#gone(`no answer to "${order.op}" within ${patienceMs} ms`), patienceMs);
      this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
    }).finally(() => clearTimeout(timer));
    if (answer.kind === 'failed') throw new Error(answer.message);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended) return;
    const exited = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.kill('SIGKILL');
    await exited;
  }

  #heard(line: string): void {
    // Libraries that print on stdout are not answers.
    if (line.startsWith('{')) this.#waiting.shift()?.resolve(JSON.parse(line) as Answer);
  }

  #gone(how: string): void {
    this.#ended = true;
    this.#child.kill('SIGKILL');
    for (const { reject } of this.#waiting.splice(0)) reject(new Error(`the client process ended: ${how}\n${this.#complaint}`));
  }
}
