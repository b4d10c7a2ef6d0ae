import { checkInteger, checkKeys, ValidationError } from '@millrace/core';
import type { Part } from './part.js';

/** Which way a turn goes: through the limiter's own engine in the virtual user, or through a Node service over HTTP. */
export type Mode = 'direct' | 'gateway';

/** k6's option `cloud`. */
export interface CloudSettings {
  readonly name: string;
  readonly projectID: number;
  readonly stackID: number;
  /** Load zones by a label each; absent for Grafana's own choice. */
  readonly distribution?: Readonly<Record<string, { readonly loadZone: string; readonly percent: number }>>;
}

/**
 * What one run is told. The Node side makes it, hands it to k6 as one environment variable, and both compute users,
 * limits and thresholds from it, so that they never differ. It holds no secret: archives and reports may show it.
 */
export interface RunSettings {
  readonly scenario: string;
  readonly mode: Mode;
  /** Names the run, its folder and what it stores: letters, digits and dashes. */
  readonly run: string;
  readonly table: string;
  /** The name of the namespace that the run has to itself. */
  readonly namespace: string;
  /** Where DynamoDB is. */
  readonly endpoint: string;
  readonly region: string;
  /** Where the Node service is that turns go through, or that does what only administration can; absent where there is none. */
  readonly gateway?: string;
  /** The secret of k6 that the Node service wants to be shown; absent where it serves whoever reaches it. The name, not the secret. */
  readonly gatewaySecret?: string;
  /** What Grafana Cloud reads of a script; absent where it is run elsewhere. */
  readonly cloud?: CloudSettings;
  readonly users: number;
  /** Turns a second of an open model; absent where users come back when they are ready. */
  readonly perSecond?: number;
  readonly durationMs: number;
  /** The part of the run that this worker makes; absent for all of it. */
  readonly part?: Part;
  /** Whether entities take from their ancestors, too. */
  readonly cascade: boolean;
  /** How many turns one user makes at once: callers of one process, which share its caches and its group commits. */
  readonly callers: number;
  /**
   * Of a user of k6, how many connections it keeps for its next requests, 0 for none; of a Node service, how many it has at
   * most. Absent for as many as a service has unless it says otherwise.
   */
  readonly connections?: number;
  /** How long one request may take. */
  readonly requestTimeoutMs: number;
  /** A bound that the user of the command gave for the 95th percentile of acquires; absent where the scenario's own holds. */
  readonly acquireP95Ms?: number;
  /** How the rate goes up and down, of the shapes that the scenario has; absent for its first one. */
  readonly shape?: string;
  /** How long limiters in k6 keep what they read of the configuration; absent for a minute, as in services. */
  readonly configTtlMs?: number;
  /** Whether k6 notes what only the dashboard's charts show: some samples more with each acquire. */
  readonly charts?: boolean;
  /** Where k6 writes its figures; absent where they go to the terminal. */
  readonly figuresFile?: string;
}

/** The environment variable that holds them. */
export const SETTINGS_VARIABLE = 'MILLRACE_LOAD';

const KEYS: readonly (keyof RunSettings)[] = [
  'scenario',
  'mode',
  'run',
  'table',
  'namespace',
  'endpoint',
  'region',
  'gateway',
  'gatewaySecret',
  'cloud',
  'users',
  'perSecond',
  'durationMs',
  'part',
  'cascade',
  'callers',
  'connections',
  'requestTimeoutMs',
  'acquireP95Ms',
  'shape',
  'configTtlMs',
  'charts',
  'figuresFile',
];
const DAY_MS = 86_400_000;

/** Writes settings for {@link SETTINGS_VARIABLE}. */
export function settingsText(settings: RunSettings): string {
  return JSON.stringify(settings);
}

/**
 * Reads what {@link settingsText} wrote.
 *
 * @throws ValidationError if it is missing, or says what no run can be
 */
export function settingsFrom(text: string | undefined): RunSettings {
  let settings: RunSettings;
  try {
    settings = JSON.parse(text ?? '') as RunSettings;
  } catch {
    throw new ValidationError(SETTINGS_VARIABLE, 'the settings of a run; start it with "pnpm load"', text);
  }
  checkKeys(SETTINGS_VARIABLE, settings, KEYS);
  checkInteger('users', settings.users, 1, 1_000_000);
  checkInteger('callers', settings.callers, 1, 10_000);
  if (settings.connections !== undefined) checkInteger('connections', settings.connections, 0, 10_000);
  checkInteger('durationMs', settings.durationMs, 1, 31 * DAY_MS);
  checkInteger('requestTimeoutMs', settings.requestTimeoutMs, 1, DAY_MS);
  if (settings.mode !== 'direct' && settings.mode !== 'gateway') throw new ValidationError('mode', 'direct or gateway', settings.mode);
  return settings;
}
