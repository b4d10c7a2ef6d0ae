import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EMULATOR_FOLDER, emulatorPython } from './python.js';

/** The account and the region that the emulator plays. */
const ACCOUNT = '123456789012';
const REGION = 'us-east-1';

const READY_WITHIN_MS = 30_000;
const POLL_MS = 100;

/** An emulator of AWS that runs: on the loopback interface only, over TLS, with IAM in force, its state in memory. */
export interface Emulator {
  /** Where it is: `https://localhost:…`. */
  readonly endpoint: string;
  /** The environment for the CDK's command line, for SDK clients and for functions: endpoint, trust, account, the root's credentials. */
  readonly environment: Readonly<Record<string, string>>;
  /** Everything that it and the functions in it said. */
  log(): Promise<string>;
  /** Ends it and all that it started, and deletes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts the emulator on a free port. It ends with this process, however this process ends: see `overlay/server.py`.
 *
 * @throws Error with the end of its log, if it does not answer in half a minute
 */
export async function startEmulator(say: (line: string) => void = () => undefined): Promise<Emulator> {
  const python = await emulatorPython(say);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-emulator-'));
  await promisify(execFile)(python, ['-m', 'overlay.certificate', folder], { cwd: EMULATOR_FOLDER });
  const port = await freePort();
  const endpoint = `https://localhost:${port}`;
  const environment = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_CA_BUNDLE: join(folder, 'certificate.pem'),
    NODE_EXTRA_CA_CERTS: join(folder, 'certificate.pem'),
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DEFAULT_ACCOUNT: ACCOUNT,
    CDK_DEFAULT_REGION: REGION,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
  const logFile = join(folder, 'emulator.log');
  const child = launch(python, folder, port, environment, logFile);
  const log = (): Promise<string> => readFile(logFile, 'utf8');
  const stop = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await answers(endpoint, await readFile(join(folder, 'certificate.pem')), child);
  } catch (error) {
    const said = (await log()).split('\n').slice(-20).join('\n');
    await stop();
    throw new Error(`the emulator does not answer: ${(error as Error).message}\n${said}`);
  }
  return { endpoint, environment, log, stop };
}

function launch(python: string, folder: string, port: number, environment: Record<string, string>, logFile: string): ChildProcess {
  const output = openSync(logFile, 'a');
  return spawn(python, ['-m', 'overlay.server'], {
    cwd: EMULATOR_FOLDER,
    // Of its own process group, which is ended as a whole; its input is the pipe by which it knows that we are here.
    detached: true,
    stdio: ['pipe', output, output],
    env: {
      ...process.env,
      ...environment,
      PYTHONDONTWRITEBYTECODE: '1',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      MINISTACK_ACCOUNT_ID: ACCOUNT,
      MINISTACK_SSL_CERT: join(folder, 'certificate.pem'),
      MINISTACK_SSL_KEY: join(folder, 'key.pem'),
      AUTH: 'true',
      USE_SSL: '1',
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      EMULATOR_FOLDER: folder,
      TMPDIR: folder,
      S3_DATA_DIR: join(folder, 's3'),
      STATE_DIR: join(folder, 'state'),
    },
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}

async function answers(endpoint: string, ca: Buffer, child: ChildProcess): Promise<void> {
  const untilMs = Date.now() + READY_WITHIN_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    if (await isHealthy(endpoint, ca)) return;
    if (Date.now() > untilMs) throw new Error(`not within ${READY_WITHIN_MS} ms`);
    await sleep(POLL_MS);
  }
}

function isHealthy(endpoint: string, ca: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(`${endpoint}/_ministack/health`, { ca, timeout: 2_000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.end();
  });
}

/** A port that nobody has at the moment. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
