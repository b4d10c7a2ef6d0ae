import { spawn } from 'node:child_process';

/** How a tunnel ended. */
export interface TunnelEnd {
  /** Whether it was open before. */
  readonly wasOpen: boolean;
  /** What it said last. */
  readonly said: string;
}

/** What a tunnel is opened with. */
export interface TunnelParts {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Told when connections may come. */
  readonly onOpen: () => void;
  readonly signal: AbortSignal;
}

/** Said by the plugin when the local port listens. */
const OPEN = /Waiting for connections/i;

/** Opens a tunnel by the AWS CLI; resolves when it has ended. The CLI is found on the PATH of `env`. */
export function openTunnel({ args, env, onOpen, signal }: TunnelParts): Promise<TunnelEnd> {
  const child = spawn('aws', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [said, wasOpen] = ['', false];
  const hear = (text: string): void => {
    said = `${said}${text}`.slice(-2_000);
    if (wasOpen || !OPEN.test(said)) return;
    wasOpen = true;
    onOpen();
  };
  child.stdout.setEncoding('utf8').on('data', hear);
  child.stderr.setEncoding('utf8').on('data', hear);
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      signal.removeEventListener('abort', stop);
      resolve({ wasOpen, said: said.trim() });
    });
  });
}

export interface KeepParts {
  /** Opens it once. */
  readonly open: (onOpen: () => void) => Promise<TunnelEnd>;
  /** Whether what it leads to is still there. */
  readonly isThere: () => Promise<boolean>;
  readonly onOpen: () => void;
  readonly say: (text: string) => void;
  /** Rejects or resolves when the signal ends it first. */
  readonly sleep: (delayMs: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** How often in a row a tunnel may fail to open. The agent in a task takes some seconds to be known everywhere. */
const TRIES = 5;
const AGAIN_AFTER_MS = 2_000;

/**
 * Keeps a tunnel open while its other end is there: sessions end after a while without a word, and networks fail.
 *
 * @throws Error if it could not be opened several times in a row
 */
export async function keepTunnel({ open, isThere, onOpen, say, sleep, signal }: KeepParts): Promise<void> {
  for (let failures = 0; failures < TRIES; ) {
    const end = await open(onOpen);
    if (signal.aborted || !(await isThere())) return;
    failures = end.wasOpen ? 0 : failures + 1;
    if (failures === TRIES) throw new Error(`no tunnel after ${TRIES} tries: ${end.said || 'aws said nothing'}`);
    say(
      end.wasOpen ? 'the tunnel was closed; it is opened again' : `no tunnel yet (${failures} of ${TRIES}): ${end.said.split('\n').at(-1)}`,
    );
    await sleep(AGAIN_AFTER_MS);
    if (signal.aborted) return;
  }
}
