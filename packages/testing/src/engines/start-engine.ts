import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { awaitAnswer } from './await-answer.js';
import { engineCredentials, engineProgram } from './engine-program.js';
import type { FoundEngine } from './find-engine.js';
import { freePort } from './free-port.js';
import type { LocalEngine } from './local-engine.js';
import { superviseProcess } from './supervised-process.js';

/** How a found engine is started. */
export interface StartOptions {
  readonly dbPath?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The only port that will do. @default - any that is free */
  readonly port?: number | undefined;
  /** @default - a port that the system says is free */
  readonly choosePort?: () => Promise<number>;
}

const answerDeadlineMs = 30_000;
const portAttempts = 5;

/** Starts `found` and waits for its first answer. */
export async function startEngine(found: FoundEngine, options: StartOptions): Promise<LocalEngine> {
  const { port: onlyPort } = options;
  const choosePort = options.choosePort ?? freePort;
  // The engine runs in another folder, where a relative path would mean something else and soon be removed.
  const dbPath = options.dbPath === undefined ? undefined : resolve(options.dbPath);
  if (dbPath !== undefined) await mkdir(dirname(dbPath), { recursive: true });

  for (let attempt = 1; ; attempt += 1) {
    const port = onlyPort ?? (await choosePort());
    const endpoint = `http://127.0.0.1:${port}`;
    const engine = superviseProcess(engineProgram(found, { port, dbPath, env: options.env }));
    try {
      await awaitAnswer(`${found.name} (${found.path})`, endpoint, engine, answerDeadlineMs);
    } catch (error) {
      await engine.close();
      const isLost = lostThePort(engine.stderrTail());
      if (isLost && onlyPort !== undefined)
        throw new Error(`port ${onlyPort} is taken: end what listens there, or name another`, { cause: error });
      if (isLost && attempt < portAttempts) continue;
      throw error;
    }
    // From here an engine that nobody closes must not keep a program from ending; it ends with the program.
    engine.unref();
    return {
      name: found.name,
      endpoint,
      region: 'us-east-1',
      credentials: engineCredentials(found),
      close: () => engine.close(),
      [Symbol.asyncDispose]: () => engine.close(),
    };
  }
}

function lostThePort(stderrTail: string): boolean {
  return /in use|EADDRINUSE/i.test(stderrTail);
}
