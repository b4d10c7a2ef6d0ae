import execution from 'k6/execution';
import { limitNames } from '../plan/exactness.js';
import { figuresOf, type K6Summary } from '../plan/figures.js';
import { k6Options } from '../plan/program-options.js';
import { renderTerminal } from '../plan/render.js';
import { reportOf } from '../plan/report.js';
import type { Scenario } from '../plan/scenario.js';
import type { Session } from '../plan/session.js';
import { type RunSettings, SETTINGS_VARIABLE, settingsFrom } from '../plan/settings.js';
import type { Environment } from './credentials.js';
import { Meter } from './meter.js';
import { sleep } from './runtime.js';

/** What makes a user's limiter. */
export type OpenSession = (settings: RunSettings, meter: Meter, env: Environment) => Session;

/** A scenario as a script of k6: what its module exports. */
export function program(scenario: Scenario, openSession: OpenSession) {
  const { configTtlMs } = scenario;
  const settings = { ...(configTtlMs === undefined ? {} : { configTtlMs }), ...settingsFrom(__ENV[SETTINGS_VARIABLE]) };
  const meter = new Meter(limitNames(scenario.resources(settings)), settings.charts);
  const callers = Array.from({ length: settings.callers }, (_, caller) => caller);
  // Each user of k6 runs this module for itself, so this is one limiter for each user, as it is for each process of a service.
  let session: Session | undefined;
  let vu: typeof execution.vu | undefined;

  return {
    options: k6Options(scenario, settings),

    async turn(): Promise<void> {
      session ??= openSession(settings, meter, __ENV);
      const own = session;
      meter.turnBegan();
      // It costs more to get than to ask, and it goes on telling how things are.
      vu ??= execution.vu;
      const { idInTest: user, iterationInScenario: index } = vu;
      const turnOf = (caller: number): Promise<void> => scenario.turn(own, { user, caller, index, settings, random: Math.random, sleep });
      if (callers.length === 1) await turnOf(0);
      else await Promise.all(callers.map(turnOf));
      meter.turnEnded();
    },

    handleSummary(summary: K6Summary): Record<string, string> {
      const figures = figuresOf(summary);
      const { figuresFile } = settings;
      if (figuresFile !== undefined) return { [figuresFile]: JSON.stringify(figures) };
      const startedAtMs = Date.now() - figures.durationMs;
      return { stdout: renderTerminal(reportOf({ scenario, settings, runtime: 'k6', startedAtMs, figures })) };
    },
  };
}
