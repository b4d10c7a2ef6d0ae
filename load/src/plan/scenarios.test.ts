import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../scenarios/index.js';
import { limitNames } from './exactness.js';
import { k6Options, thresholdsOf } from './program-options.js';
import { worldOf } from './scenario.js';
import { COST_COUNTERS, ERRORS_RATE, REFUSED_RATE, SERIES, TOKEN_KINDS, tokenCounter } from './series.js';
import type { Amounts, Answer, Session } from './session.js';
import { type RunSettings, settingsFrom, settingsText } from './settings.js';

const settings: RunSettings = {
  scenario: 'any',
  mode: 'direct',
  run: 'any-1',
  table: 'table',
  namespace: 'default',
  endpoint: 'http://127.0.0.1:8000',
  region: 'us-east-1',
  users: 3,
  durationMs: 10_000,
  cascade: false,
  callers: 1,
  requestTimeoutMs: 1_000,
};

const variants = SCENARIOS.flatMap((scenario) =>
  (scenario.cascades ? [false, true] : [false]).map((cascade) => ({
    name: `${scenario.name}${cascade ? ', cascading' : ''}`,
    scenario,
    cascade,
  })),
);

/** A limiter that holds everybody, and remembers who asked for what. */
class OpenHanded implements Session {
  readonly asked: { readonly entity: string; readonly resource: string; readonly amounts: Amounts }[] = [];
  settled = 0;

  async acquire(entity: string, resource: string, amounts: Amounts): Promise<Answer> {
    this.asked.push({ entity, resource, amounts });
    const settle = async (): Promise<void> => {
      this.settled += 1;
    };
    return { kind: 'held', held: { commit: settle, release: settle } };
  }

  async available(): Promise<Amounts> {
    return {};
  }

  async manage(): Promise<void> {}
}

describe.each(variants)('scenario $name', ({ scenario, cascade }) => {
  const own: RunSettings = { ...settings, ...scenario.sizes, users: 3, scenario: scenario.name, cascade };
  const world = worldOf(scenario, own);

  it('asks the question on line 1 of its file, which has its name', () => {
    const [line = ''] = readFileSync(new URL(`../../scenarios/${scenario.name}.ts`, import.meta.url), 'utf8').split('\n', 1);

    expect(line.toLowerCase()).toBe(`// question: ${scenario.question.toLowerCase()}`);
    expect(scenario.question).toMatch(/^[A-Z].*\?$/);
  });

  it('judges only what is measured', () => {
    const limits = limitNames(world.resources).flatMap((limit) => TOKEN_KINDS.map((kind) => tokenCounter(kind, limit)));
    const known = [...SERIES, ...COST_COUNTERS, ERRORS_RATE, REFUSED_RATE, 'dropped_iterations', ...limits];

    for (const { metric, stat } of thresholdsOf(scenario, { ...own, perSecond: 100 })) {
      expect(known).toContain(metric);
      // k6 takes no run whose threshold counts the samples of a Trend.
      if (stat === 'count') expect(SERIES).not.toContain(metric);
    }
  });

  it('takes of limits that its world has, for those it made, and settles all that it holds', async () => {
    const session = new OpenHanded();
    const turn = { user: 2, caller: 0, settings: own, random: () => 0.6, sleep: async () => {} };
    for (let index = 0; index < 5; index += 1) await scenario.turn(session, { ...turn, index });

    expect(session.asked.length).toBeGreaterThan(0);
    expect(session.settled).toBe(session.asked.length);
    for (const { entity, resource, amounts } of session.asked) {
      const limits = world.resources[resource] ?? [];
      for (const [name, tokens] of Object.entries(amounts)) {
        expect(tokens).toBeLessThanOrEqual(limits.find((limit) => limit.name === name)?.capacity ?? 0);
      }
      if (cascade) expect(world.entities.find(({ id }) => id === entity)?.parent).toBeDefined();
    }
  });

  it('becomes options of k6 that JSON can say, with one scenario of a name that k6 takes', () => {
    const options = k6Options(scenario, own);

    expect(JSON.parse(JSON.stringify(options))).toEqual(options);
    expect(Object.keys(options.scenarios)).toEqual([expect.stringMatching(/^[a-z_]+$/)]);
  });
});

describe('the settings of a run', () => {
  it('reach k6 as they are', () => {
    expect(settingsFrom(settingsText(settings))).toEqual(settings);
  });

  it.each([
    [undefined, 'MILLRACE_LOAD'],
    ['no json', 'MILLRACE_LOAD'],
    [settingsText({ ...settings, users: 0 }), 'users'],
    [settingsText({ ...settings, secret: 'x' } as RunSettings), 'secret'],
    [settingsText({ ...settings, mode: 'both' as 'direct' }), 'mode'],
  ])('that are %s are refused', (text, subject) => {
    expect(() => settingsFrom(text)).toThrowError(subject);
  });
});
