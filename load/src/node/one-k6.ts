import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dashboardOf } from '../plan/dashboard.js';
import type { Figures } from '../plan/figures.js';
import type { Scenario } from '../plan/scenario.js';
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
  readonly scenario: Scenario;
  /** Whether it writes its HTML report. */
  readonly dashboard: boolean;
}

/** The load of one k6 on this machine, which judges by itself when going on is pointless. */
export function oneK6({ binary, script, env, scenario, dashboard }: OneK6): LoadMaker {
  return {
    runtime: 'local',
    async make({ settings, site, folder, durationMs }) {
      const figuresFile = join(folder, 'figures.json');
      const charts = dashboard ? await writeCharts(script, scenario, settings) : undefined;
      const end = await runK6({
        binary,
        script,
        args: [],
        env: k6Environment({ ...settings, figuresFile, charts: dashboard }, { site, folder }, env, charts),
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
  charts: string | undefined,
): NodeJS.ProcessEnv {
  return {
    ...env,
    ...keysOf(site),
    [SETTINGS_VARIABLE]: settingsText(settings),
    ...(charts !== undefined
      ? {
          XK6_DASHBOARD_CONFIG: charts,
          K6_WEB_DASHBOARD: 'true',
          K6_WEB_DASHBOARD_EXPORT: join(folder, 'dashboard.html'),
          K6_WEB_DASHBOARD_PORT: '-1',
          K6_WEB_DASHBOARD_PERIOD: settings.durationMs < 120_000 ? '1s' : '10s',
        }
      : {}),
  };
}

/** Says what the dashboard shows, beside the script: a run's own folder holds what came out. */
async function writeCharts(script: string, scenario: Scenario, settings: RunSettings): Promise<string> {
  const file = join(dirname(script), `${scenario.name}.dashboard.json`);
  await writeFile(file, JSON.stringify(dashboardOf(scenario.name, scenario.resources(settings))));
  return file;
}

/** What k6 wrote at its end; nothing where it did not come so far. */
async function readFigures(file: string): Promise<Figures> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Figures;
  } catch {
    return { durationMs: 0, series: {}, counts: {}, rates: {} };
  }
}
