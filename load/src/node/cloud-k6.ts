import { spawn } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CloudSettings, RunSettings } from '../plan/settings.js';
import { SETTINGS_VARIABLE, settingsText } from '../plan/settings.js';
import type { CloudPlan } from './cloud-arguments.js';
import type { K6Binary } from './k6-binary.js';
import { K6_EXIT } from './k6-process.js';
import type { LoadMaker } from './load-maker.js';
import { ask } from './shell.js';

/** The name that the token of the Node service has among Grafana's secrets. */
export const GATEWAY_SECRET = 'millrace-gateway-token';

const ARCHIVE_TIMEOUT_MS = 60_000;
const ASK_EVERY_MS = 2_000;
const URL_OF_TEST = /https?:\/\/\S+\/runs\/\d+/;

/** What k6's option `cloud` is for a plan. */
export function cloudSettings({ projectId, stackId, zones }: CloudPlan, run: string): CloudSettings {
  const distribution = zones?.map(({ zone, percent }) => [zone, { loadZone: zone, percent }] as const);
  return {
    name: run,
    projectID: projectId,
    stackID: stackId,
    ...(distribution === undefined ? {} : { distribution: Object.fromEntries(distribution) }),
  };
}

/** What the k6 of this machine is given to pack with: what the system needs, and nothing that is anybody's. */
function barren({ PATH = '', HOME = '', TMPDIR = '', SystemRoot = '' }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { PATH, HOME, TMPDIR, SystemRoot, K6_AUTO_EXTENSION_RESOLUTION: 'false' };
}

/**
 * Packs script and settings into one file, which somebody else's machines run. k6 writes what it is given by `-e` into it in
 * clear text, so it is given the settings, which hold no secret; and it runs without the variables of this process.
 *
 * @throws Error with what k6 said
 */
async function writeArchive(binary: K6Binary, script: string, settings: RunSettings, file: string, env: NodeJS.ProcessEnv): Promise<void> {
  const variable = `${SETTINGS_VARIABLE}=${settingsText(settings)}`;
  const args = ['archive', '--quiet', '--include-system-env-vars=false', '-e', variable, '-O', file, script];
  const { code, stderr } = await ask(binary.path, args, { timeoutMs: ARCHIVE_TIMEOUT_MS, env: barren(env) });
  if (code !== 0) throw new Error(`k6 archive ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
}

/** What a run in Grafana Cloud is made with. */
export interface CloudK6 {
  readonly binary: K6Binary;
  readonly script: string;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
}

/** The load of Grafana's machines. They tell their figures on a page of Grafana's; what is judged here is what the Node service counted. */
export function cloudK6({ binary, script, env, say }: CloudK6): LoadMaker {
  return {
    runtime: 'cloud',
    async make({ settings, folder, durationMs, heard, started, signal, gateway }) {
      if (gateway === undefined) throw new Error('a run in Grafana Cloud goes through the Node service, and there is none');
      const archive = join(folder, 'archive.tar');
      await writeArchive(binary, script, settings, archive, env);
      const asking = setInterval(() => heard(gateway.live()), ASK_EVERY_MS);
      try {
        const { code, url, tail } = await cloudRun({ binary, archive, env, log: join(folder, 'k6.log'), say, started, signal });
        const isJudged = code === K6_EXIT.ok || code === K6_EXIT.thresholdsFailed;
        const notes = [
          ...(url === undefined ? [] : [`Grafana's own figures: ${url}`]),
          'figures are those of the Node service: what the SDK took, without the way to it',
          ...(isJudged ? [] : [`k6 cloud ended with ${code ?? 'a signal'}: ${tail}`]),
          ...(code === K6_EXIT.thresholdsFailed
            ? ['Grafana judges that a threshold failed, of times that include the way to the service']
            : []),
        ];
        return { figures: gateway.figures(durationMs), extent: isJudged ? 'whole' : signal.aborted ? 'part' : 'broken', notes };
      } finally {
        clearInterval(asking);
      }
    },
  };
}

interface CloudRun {
  readonly binary: K6Binary;
  readonly archive: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: string;
  readonly say: (text: string) => void;
  readonly started: (pid: number, what: string) => void;
  readonly signal: AbortSignal;
}

interface CloudEnd {
  readonly code: number | null;
  readonly url: string | undefined;
  readonly tail: string;
}

function cloudRun({ binary, archive, env, log, say, started, signal }: CloudRun): Promise<CloudEnd> {
  const { K6_CLOUD_TOKEN, K6_CLOUD_HOST } = env;
  const child = spawn(binary.path, ['cloud', 'run', '--no-color', archive], {
    // Of all secrets, the one that k6 must have.
    env: { ...barren(env), K6_CLOUD_TOKEN, ...(K6_CLOUD_HOST === undefined ? {} : { K6_CLOUD_HOST }) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  if (child.pid !== undefined) started(child.pid, 'k6 cloud');
  let [text, url]: [string, string | undefined] = ['', undefined];
  const take = (chunk: string): void => {
    text = `${text}${chunk}`.slice(-10_000);
    if (url !== undefined) return;
    url = URL_OF_TEST.exec(text)?.[0];
    if (url !== undefined) say(`the run in Grafana Cloud: ${url}`);
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  // k6 asks Grafana to end the test when it is told to end.
  const stop = (): void => void child.kill('SIGINT');
  signal.addEventListener('abort', stop, { once: true });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      const tail = text.trim().split('\n').slice(-3).join(' ');
      void appendFile(log, text).then(() => resolve({ code, url, tail }), reject);
    });
  });
}
