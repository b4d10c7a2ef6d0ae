import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { collectorVariables } from '../distributed/collector.js';
import { freePort } from '../distributed/free-port.js';
import { K6Control } from '../distributed/k6-control.js';
import { type ProcessUsage, watchProcess } from '../distributed/process-usage.js';
import { dashboardOf } from '../plan/dashboard.js';
import type { Figures } from '../plan/figures.js';
import type { Extent } from '../plan/report.js';
import type { Scenario } from '../plan/scenario.js';
import { type RunSettings, SETTINGS_VARIABLE, settingsText } from '../plan/settings.js';
import { GRACE_MS } from '../plan/shapes.js';
import type { K6Binary } from './k6-binary.js';
import { K6_EXIT, type K6End, runK6 } from './k6-process.js';
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
  /** The port of this machine on which k6 shows its dashboard while it runs; absent where nobody looks. */
  readonly livePort?: number;
}

/** k6 computes percentiles of all it has whenever it is asked. */
const ASK_EVERY_MS = 2_000;

/** The load of one k6 on this machine, which judges by itself when going on is pointless. */
export function oneK6({ binary, script, env, scenario, dashboard, livePort }: OneK6): LoadMaker {
  return {
    runtime: 'local',
    async make({ settings, site, folder, durationMs, heard, started, signal }) {
      const figuresFile = join(folder, 'figures.json');
      const charts = dashboard || livePort !== undefined ? await writeCharts(scenario, settings) : undefined;
      const address = `127.0.0.1:${await freePort()}`;
      let taken: (() => ProcessUsage | undefined) | undefined;
      const control = new K6Control(address);
      const asking = setInterval(() => void control.live().then((live) => live !== undefined && heard(live)), ASK_EVERY_MS);
      const end = await runK6({
        binary,
        script,
        args: ['--address', address],
        env: {
          ...k6Environment({ ...settings, figuresFile, charts: charts !== undefined }, site, env),
          ...dashboardEnvironment({ charts, folder, settings, isKept: dashboard, livePort }),
        },
        signal,
        onStart(pid) {
          taken = watchProcess(pid);
          started(pid, 'k6');
        },
        logFile: join(folder, 'k6.log'),
        timeoutMs: durationMs + GRACE_MS + K6_SLACK_MS,
      }).finally(async () => {
        clearInterval(asking);
        if (charts !== undefined) await rm(dirname(charts), { recursive: true, force: true });
      });
      const extent = extentOf(end, signal);
      const notes = {
        whole: [],
        part: ['the run was stopped before its end'],
        broken: [`k6 ended with ${end.code ?? 'a signal'}${end.complaint === undefined ? '' : `: ${end.complaint}`}`],
      }[extent];
      const usage = taken?.();
      return {
        figures: await readFigures(figuresFile),
        extent,
        notes,
        ...(usage?.cpuPercent === undefined ? {} : { usage: { cpuPercent: usage.cpuPercent, peakMb: usage.peakMb } }),
      };
    },
  };
}

function extentOf({ code }: K6End, signal: AbortSignal): Extent {
  // Ctrl-C as well as `stop` ends k6 with its word for that, and so does nothing else.
  if (code === K6_EXIT.aborted || (signal.aborted && code !== K6_EXIT.ok)) return 'part';
  return code === K6_EXIT.ok || code === K6_EXIT.thresholdsFailed ? 'whole' : 'broken';
}

interface DashboardPlan {
  /** The file that says what it shows; absent where there is none. */
  readonly charts: string | undefined;
  readonly folder: string;
  readonly settings: RunSettings;
  /** Whether it is written at the end. */
  readonly isKept: boolean;
  readonly livePort: number | undefined;
}

function dashboardEnvironment({ charts, folder, settings, isKept, livePort }: DashboardPlan): NodeJS.ProcessEnv {
  if (charts === undefined) return {};
  return {
    XK6_DASHBOARD_CONFIG: charts,
    K6_WEB_DASHBOARD: 'true',
    ...(isKept ? { K6_WEB_DASHBOARD_EXPORT: join(folder, 'dashboard.html') } : {}),
    K6_WEB_DASHBOARD_HOST: '127.0.0.1',
    // No port: nobody looks while it runs.
    K6_WEB_DASHBOARD_PORT: `${livePort ?? -1}`,
    K6_WEB_DASHBOARD_PERIOD: settings.durationMs < 120_000 ? '1s' : '10s',
  };
}

/** Keys go through the environment, which no archive and no report holds. */
export function keysOf({ connection }: LoadTask['site']): NodeJS.ProcessEnv {
  if (connection.credentials === undefined) return {};
  const { accessKeyId, secretAccessKey, sessionToken } = connection.credentials;
  return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken ?? '' };
}

function k6Environment(settings: RunSettings, site: LoadTask['site'], env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, ...collectorVariables(settings, env), ...keysOf(site), [SETTINGS_VARIABLE]: settingsText(settings) };
}

/** Says what the dashboard shows, in a folder of its own: a run's holds what came out, and that of an installed package is nobody's to write into. */
async function writeCharts(scenario: Scenario, settings: RunSettings): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'millrace-charts-')), 'dashboard.json');
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
