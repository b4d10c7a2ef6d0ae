import { Limit, needsLongerTtl, timingOf } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { perMinute, REF, type ScaleProcess, ScaleWorld } from './scale-world.js';

const [FAST, SLOW] = [perMinute(1_000), perMinute(100)];

let world: ScaleWorld;
let engine: ScaleProcess;

beforeEach(() => {
  world = new ScaleWorld();
  engine = world.open();
});

const formsOf = (work: () => Promise<unknown>) => world.formsOf(work);

describe.each([
  { change: 'cut to a tenth', from: FAST, to: SLOW },
  { change: 'raised tenfold', from: SLOW, to: FAST },
  { change: 'cut to what is no whole number of microseconds', from: FAST, to: perMinute(7) },
])('a rate that is $change', ({ from, to }) => {
  it.each([
    { state: 'idle', taken: 0 },
    { state: 'half used', taken: 500 },
    { state: 'all but one token used', taken: 999 },
    { state: 'exhausted', taken: 1_000 },
  ])('leaves a bucket that is $state what it had, to the token', async ({ taken }) => {
    if (taken > 0) await engine.take(from, taken);

    expect(world.available(to)).toBe(1_000 - taken);
    expect(await engine.drain(to)).toBe(1_000 - taken);
  });

  it('honours a debt, to the token', async () => {
    const holding = await engine.hold(from, 1_000);
    await engine.change(holding, 300);

    expect(world.available(to)).toBe(-300);
    expect((await engine.take(to, 1)).kind).toBe('exhausted');
    expect(world.available(to)).toBe(-300);
    world.runtime.advance(Math.ceil((301 / to.refill) * 60_000));
    expect(await engine.drain(to)).toBe(1);
  });

  it('holds from the moment of the next take: what flows in after it flows at the new rate', async () => {
    await engine.take(from, 1_000);
    await engine.take(to, 1);

    world.runtime.advance(3 * 60_000);

    expect(await engine.drain(to)).toBe(Math.min(1_000, Math.floor(3 * to.refill)));
  });

  it('tells a refused caller when there will be enough, at the new rate', async () => {
    await engine.take(from, 1_000);
    const result = await engine.take(to, 10);

    expect(result).toMatchObject({ kind: 'exhausted' });
    world.runtime.advance((10 / to.refill) * 60_000 - 1);
    expect((await engine.take(to, 10)).kind).toBe('exhausted');
    world.runtime.advance(1.001);
    expect((await engine.take(to, 10)).kind).toBe('taken');
  });

  it('gives back by a release as many tokens as the lease had taken, whichever scale the bucket is in', async () => {
    const [first, second] = [await engine.hold(from, 600), await engine.hold(from, 300)];

    await first.giveBack(engine.parts, engine.parts.newDeadlineMs());
    expect(world.available(to)).toBe(700);
    await engine.take(to, 1);
    await second.giveBack(engine.parts, engine.parts.newDeadlineMs());

    expect([998, 999]).toContain(world.available(to));
    expect(world.store.net(REF, 'rpm')).toBe(1);
  });

  it('charges by an adjust as many tokens as were used, and gives them back', async () => {
    const holding = await engine.hold(from, 600);
    await engine.take(to, 1);

    await engine.change(holding, 250);
    expect([148, 149]).toContain(world.available(to));
    await engine.change(holding, -400);
    expect([547, 548, 549]).toContain(world.available(to));
    await engine.change(holding, -450);

    expect([997, 998, 999]).toContain(world.available(to));
    expect(world.store.net(REF, 'rpm')).toBe(1);
  });

  it('settles by the scale of the bucket also where nothing was known of it', async () => {
    const holding = await engine.hold(from, 600);
    await world.open().take(to, 1);

    expect(await formsOf(() => engine.change(holding, -600))).toEqual(['credit', 'credit']);

    expect([998, 999]).toContain(world.available(to));
    expect(world.store.bucket(REF)?.limits.get('rpm')?.scale).toBe(timingOf(to).scale);
  });

  it('never lets an item expire before it is full again', async () => {
    await engine.take(from, 1_000);
    await engine.take(to, 1);

    const state = world.store.bucket(REF);
    expect(state !== undefined && needsLongerTtl(state)).toBe(false);
  });
});

describe('what a change of the rate costs', () => {
  it.each([
    { title: 'that is full', taken: 500, idleMs: 3_600_000, forms: ['idle'] },
    { title: 'that is full since a moment', taken: 500, idleMs: 30_000, forms: ['idle'] },
    { title: 'that is busy, and is known to be', taken: 500, idleMs: 0, forms: ['rescale', 'busy'] },
    { title: 'that is exhausted, and is known to be', taken: 1_000, idleMs: 0, forms: ['rescale'] },
  ])('a bucket $title: $forms', async ({ taken, idleMs, forms }) => {
    await engine.take(FAST, taken);
    world.runtime.advance(idleMs);

    expect(await formsOf(() => engine.take(SLOW, 1))).toEqual(forms);
  });

  it('a busy bucket that this process has not met is a refused write more', async () => {
    await engine.take(FAST, 500);

    expect(await formsOf(() => world.open().take(SLOW, 1))).toEqual(['idle', 'rescale', 'busy']);
  });

  it('an exhausted bucket that this process has not met is brought into the new scale, too: only then it flows at the new rate', async () => {
    await engine.take(FAST, 1_000);

    expect(await formsOf(() => world.open().take(SLOW, 1))).toEqual(['idle', 'rescale']);
    world.runtime.advance(6_000);
    expect(world.available(SLOW)).toBe(10);
  });

  it('nothing once it is done: one write for each acquire', async () => {
    await engine.take(FAST, 500);
    await engine.take(SLOW, 1);

    expect(await formsOf(() => engine.drain(SLOW))).toEqual(Array.from({ length: 500 }, () => 'busy'));
  });

  it('one rescale for all limits of the request that have another rate, and none for those that have not', async () => {
    const [tpm, slowTpm, rpd] = [Limit.perMinute('tpm', 1_000), Limit.perMinute('tpm', 10, { capacity: 1_000 }), Limit.perDay('rpd', 500)];
    await engine.take([FAST, tpm, rpd], 100);

    const forms = await formsOf(() => engine.take([SLOW, slowTpm, rpd], 1));

    expect(forms).toEqual(['rescale', 'busy']);
    expect(world.store.writes.at(-2)?.moves.map(({ limit }) => limit)).toEqual(['rpm', 'tpm']);
  });

  it('nothing for a change of the capacity alone', async () => {
    await engine.take(FAST, 500);

    expect(await formsOf(() => engine.take(perMinute(1_000, 5_000), 1))).toEqual(['busy']);
    expect(world.available(perMinute(1_000, 5_000))).toBe(4_499);
  });
});

describe('the bucket of another scale', () => {
  const LAGGING = Limit.perMinute('rpm', 100, { capacity: 1_000, reserve: 0.5 });

  it('does not expire before a debt is paid back that takes longer at the new rate', async () => {
    const holding = await engine.hold(FAST, 1_000);
    await engine.change(holding, 200_000);

    expect((await engine.take(perMinute(7), 1)).kind).toBe('exhausted');

    const state = world.store.bucket(REF);
    expect(state !== undefined && needsLongerTtl(state)).toBe(false);
  });

  it('is charged without the lag that its own limit may not have paid for', async () => {
    const holding = await engine.hold(LAGGING, 10);
    world.runtime.advance(60_000);
    await engine.take(FAST, 10);
    world.runtime.advance(5_000);

    await engine.change(holding, 1);

    expect(world.store.bucket(REF)?.limits.get('rpm')).toMatchObject({ tatUs: world.nowUs + 60_000, scale: timingOf(FAST).scale });
  });
});

describe('an item that is older than scales', () => {
  it('is taken to be in the scale of the first that takes from it', async () => {
    await world.store.write({
      ref: REF,
      nowUs: world.nowUs,
      ttlSec: 0,
      moves: [{ form: 'idle', limit: 'rpm', tokens: 500, chargeUs: 30_000_000, toUs: world.nowUs }],
    });

    expect(await formsOf(() => world.open().take(FAST, 1))).toEqual(['idle', 'busy']);

    expect(world.store.bucket(REF)?.limits.get('rpm')).toMatchObject({ scale: '60000/1' });
    expect(world.available(FAST)).toBe(499);
  });
});

describe('a debt that the new rate could not pay back within a century', () => {
  const [flood, trickle] = [Limit.perSecond('rpm', 10 ** 9), Limit.of({ name: 'rpm', refill: 1, periodMs: 366 * 86_400_000 })];

  it('refuses, and is left to be paid back at its own rate', async () => {
    await engine.take(flood, 900_000_000);

    expect(await formsOf(() => engine.take(trickle, 1))).toEqual(['idle']);
    expect(world.available(trickle)).toBeLessThan(0);
    world.runtime.advance(1_000);
    expect((await engine.take(trickle, 1)).kind).toBe('taken');
  });
});
