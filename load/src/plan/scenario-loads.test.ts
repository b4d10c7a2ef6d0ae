import { describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../scenarios/index.js';
import { limitOf } from './exactness.js';
import { type Scenario, worldOf } from './scenario.js';
import type { Amounts, Answer, Management, ManagementOperation, Session } from './session.js';
import type { RunSettings } from './settings.js';

const base = { mode: 'direct', durationMs: 60_000, users: 10, cascade: false, callers: 1 } as RunSettings;

/** Dice that fall the same each time. */
function dice(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Answers everything, and notes it. */
class Notes implements Session {
  readonly asked: { readonly entity: string; readonly resource: string; readonly amounts: Amounts }[] = [];
  readonly managed: (readonly [ManagementOperation, unknown])[] = [];
  readonly deltas: number[] = [];
  looked = 0;

  async acquire(entity: string, resource: string, amounts: Amounts): Promise<Answer> {
    this.asked.push({ entity, resource, amounts });
    const commit = async (deltas: Amounts = {}): Promise<void> => void this.deltas.push(...Object.values(deltas));
    return { kind: 'held', held: { commit, release: async () => undefined } };
  }

  async available(): Promise<Amounts> {
    this.looked += 1;
    return {};
  }

  async manage<O extends ManagementOperation>(operation: O, given: Management[O]): Promise<void> {
    this.managed.push([operation, given]);
  }
}

function named(name: string): Scenario {
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  return scenario;
}

async function played(scenario: Scenario, turns: number, more: Partial<RunSettings> = {}): Promise<Notes> {
  const [notes, random] = [new Notes(), dice()];
  const settings = { ...base, ...scenario.sizes, users: 10, ...more };
  for (let turn = 0; turn < turns; turn += 1) {
    const place = { user: (turn % settings.users) + 1, caller: 0, index: Math.floor(turn / settings.users) };
    await scenario.turn(notes, { ...place, settings, random, sleep: async () => undefined });
  }
  return notes;
}

const share = <T>(all: readonly T[], is: (one: T) => boolean): number => all.filter(is).length / all.length;
const refusedBound = (scenario: Scenario, perSecond: number): number =>
  scenario.thresholds({ ...base, perSecond }).find(({ metric }) => metric === 'limiter_refused')?.value ?? Number.NaN;

describe('the load of stress', () => {
  it('is a whale of half, a spiker with spikes, and a power law', async () => {
    const { asked, looked } = await played(named('stress'), 20_000);
    const of = (entity: string): number => share(asked, (one) => one.entity === entity);

    expect(of('whale')).toBeCloseTo(0.5, 1);
    expect(of('spiker')).toBeCloseTo(0.03 * 0.9 + 0.3 * 0.1, 1);
    expect(of('entity-1') / of('entity-2')).toBeGreaterThan(2);
    expect(new Set(asked.map(({ entity }) => entity)).size).toBeGreaterThan(300);
    expect(looked / asked.length).toBeCloseTo(0.05, 1);
  });

  it('is allowed as many refusals as its limits make: none at a low rate, nearly the whale at a high one', () => {
    const stress = named('stress');

    expect(refusedBound(stress, 50)).toBeCloseTo(0.05, 5);
    expect(refusedBound(stress, 2_000)).toBeGreaterThan(0.45);
    expect(refusedBound(stress, 2_000)).toBeLessThan(1);
  });

  it('stores hundreds of entities and not sixteen thousand, and gives their parent what they need', () => {
    const settings = { ...base, ...named('stress').sizes, cascade: true };
    const world = worldOf(named('stress'), settings);

    expect(world.entities.length).toBeLessThan(1_000);
    expect(limitOf(world, { entity: 'organisation', resource: 'api-1', limit: 'rpm' })?.refill).toBe(500 * 300);
    expect(worldOf(named('stress'), { ...settings, cascade: false }).entities).toEqual([]);
  });
});

describe('the load of llm-production', () => {
  it('is 15 chats to 2 lists to 1 look, and chats settle with what they used', async () => {
    const { asked, looked, deltas } = await played(named('llm-production'), 9_000);
    const lists = asked.filter(({ resource }) => resource === 'list-models').length;

    expect((asked.length - lists) / 9_000).toBeCloseTo(15 / 18, 1);
    expect(lists / 9_000).toBeCloseTo(2 / 18, 1);
    expect(looked / 9_000).toBeCloseTo(1 / 18, 1);
    expect(Math.min(...deltas)).toBeGreaterThanOrEqual(200 - 800);
    expect(Math.max(...deltas)).toBeLessThanOrEqual(2_000 - 800);
  });

  it.each(['daily', 'morning-spike'])('has the shape %s', (shape) => {
    const { arrival, shapes, sizes } = named('llm-production');

    expect(shapes).toContain(shape);
    expect(arrival({ ...base, ...sizes, shape })).toMatchObject({ kind: 'ramp', fromPerSecond: expect.any(Number) });
    expect(arrival({ ...base, ...sizes, shape: 'daily' })).not.toEqual(arrival({ ...base, ...sizes, shape: 'morning-spike' }));
  });

  it('asks that nobody is refused only where the rate is far below the limits', () => {
    expect(refusedBound(named('llm-production'), 5)).toBe(0);
    expect(refusedBound(named('llm-production'), 5_000)).toBeNaN();
  });
});

describe('the load of contention', () => {
  it('wants all of few keys at once', async () => {
    const { asked } = await played(named('contention'), 80);
    const keys = new Set(asked.map(({ entity }) => entity));

    expect(keys.size).toBe(8);
    for (const key of keys) expect(share(asked, ({ entity }) => entity === key)).toBeCloseTo(1 / 8, 5);
  });
});

describe('the load of config-churn', () => {
  it('is of one administrator, who makes every change in turn, about one a second', async () => {
    const { managed } = await played(named('config-churn'), 150 * 14);

    expect(managed.map(([operation]) => operation).slice(0, 6)).toEqual([
      'set_resource',
      'set_resource',
      'set_entity',
      'set_resource',
      'set_resource',
      'delete_entity',
    ]);
    expect(managed).toHaveLength(14);
  });

  it('has a bound that is the largest capacity and the fastest rate of all limits it sets', () => {
    const scenario = named('config-churn');
    const world = worldOf(scenario, base);

    expect(limitOf(world, { entity: 'user-1', resource: 'api', limit: 'rps' })).toMatchObject({
      capacity: 200,
      refill: 100,
      periodMs: 1_000,
    });
    const bound = scenario.thresholds(base).find(({ op, metric }) => metric === 'taken_rps' && op === '<=');
    expect(bound?.value).toBe(200 + 100 * 95);
  });
});

describe('the load of soak', () => {
  it('settles in every way, and looks', async () => {
    const { asked, looked, deltas } = await played(named('soak'), 5_000);

    expect(asked.length / 5_000).toBeCloseTo(0.9, 1);
    expect(looked / 5_000).toBeCloseTo(0.1, 1);
    expect(deltas.length / 5_000).toBeCloseTo(0.4, 1);
  });
});
