import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figures } from '../plan/figures.js';
import { type RunSettings, SETTINGS_VARIABLE, settingsText } from '../plan/settings.js';
import { GRACE_MS } from '../plan/shapes.js';
import type { K6Binary } from './k6-binary.js';
import { K6_EXIT, runK6 } from './k6-process.js';
import type { LoadMaker, LoadTask } from './load-maker.js';

/** What k6 may take besides turns: to load, to end, to write its report. */
const K6_SLACK_MS = 60_000;

/** What one k6 on this machine is made with. */
export interface OneK6 {
  readonly binary: K6Binary;
  readonly script: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether it writes its HTML report. */
  readonly dashboard: boolean;
}

/** The load of one k6 on this machine, which judges by itself when going on is pointless. */
export function oneK6({ binary, script, env, dashboard }: OneK6): LoadMaker {
  return {
    runtime: 'local',
    async make({ settings, site, folder, durationMs }) {
      const figuresFile = join(folder, 'figures.json');
      const end = await runK6({
        binary,
        script,
        args: [],
        env: k6Environment({ ...settings, figuresFile }, { site, folder }, env, dashboard),
        logFile: join(folder, 'k6.log'),
        timeoutMs: durationMs + GRACE_MS + K6_SLACK_MS,
      });
      const isWhole = end.code === K6_EXIT.ok || end.code === K6_EXIT.thresholdsFailed;
      const notes = isWhole ? [] : [`k6 ended with ${end.code ?? 'a signal'}${end.complaint === undefined ? '' : `: ${end.complaint}`}`];
      return { figures: await readFigures(figuresFile), isWhole, notes };
    },
  };
}

/** Keys go through the environment, which no archive and no report holds. */
export function keysOf({ connection }: LoadTask['site']): NodeJS.ProcessEnv {
  if (connection.credentials === undefined) return {};
  const { accessKeyId, secretAccessKey, sessionToken } = connection.credentials;
  return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken ?? '' };
}

function k6Environment(
  settings: RunSettings,
  { site, folder }: Pick<LoadTask, 'site' | 'folder'>,
  env: NodeJS.ProcessEnv,
  dashboard: boolean,
): NodeJS.ProcessEnv {
  return {
    ...env,
    ...keysOf(site),
    [SETTINGS_VARIABLE]: settingsText(settings),
    ...(dashboard
      ? {
          K6_WEB_DASHBOARD: 'true',
          K6_WEB_DASHBOARD_EXPORT: join(folder, 'dashboard.html'),
          K6_WEB_DASHBOARD_PORT: '-1',
          K6_WEB_DASHBOARD_PERIOD: settings.durationMs < 120_000 ? '1s' : '10s',
        }
      : {}),
  };
}

/** What k6 wrote at its end; nothing where it did not come so far. */
async function readFigures(file: string): Promise<Figures> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Figures;
  } catch {
    return { durationMs: 0, series: {}, counts: {}, rates: {} };
  }
}
