import { describe, expect, it } from 'vitest';
import { PROFILES, profiled } from './profiles.js';
import type { RunSettings } from './settings.js';
import { durationOf, usersOf } from './shapes.js';

const settings = { users: 150, durationMs: 24 * 3_600_000 } as RunSettings;

describe.each(Object.entries(PROFILES))('the profile %s', (_, profile) => {
  it('lasts as long as the run, whatever that is, and has its peak at the rate', () => {
    for (const durationMs of [1_000, 600_000, 24 * 3_600_000]) {
      const arrival = profiled(profile, { ...settings, perSecond: 30, durationMs });

      expect(durationOf(arrival)).toBeCloseTo(durationMs, 3);
      expect(arrival).toMatchObject({ kind: 'ramp', users: 150 });
      expect(Math.max(...('stages' in arrival ? arrival.stages.map(({ target }) => target) : []))).toBe(30);
    }
  });

  it('is one of users where no rate is given, and leaves always at least one', () => {
    expect(usersOf(profiled(profile, settings))).toBe(150);
    const lonely = profiled(profile, { ...settings, users: 1 });

    expect(lonely).toMatchObject({ kind: 'crowd', fromUsers: 1 });
    expect('stages' in lonely && lonely.stages.every(({ target }) => target === 1)).toBe(true);
  });
});

describe('a day', () => {
  it('has a night of a tenth and a plateau of four hours', () => {
    const arrival = profiled(PROFILES.daily, settings);
    const hours = 'stages' in arrival ? arrival.stages.map(({ target, durationMs }) => [target, Math.round(durationMs / 3_600_000)]) : [];

    expect(hours[0]).toEqual([15, 6]);
    expect(hours[3]).toEqual([150, 4]);
  });
});
