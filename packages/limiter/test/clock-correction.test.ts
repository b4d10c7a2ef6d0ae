import { RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPACITY, FaultyWorld, LIMITS, SENDERS } from './faulty-world.js';

const HOUR_MS = 3_600_000;
const options = { limits: LIMITS };
const offBy = (ms: number) => ({ nowMs: () => Date.now() + ms });

let world: FaultyWorld;
beforeAll(async () => {
  world = await FaultyWorld.launch();
});
afterAll(() => world.close());

describe.each(SENDERS)('a clock, with %s', (sender) => {
  it.each([
    { title: 'an hour behind', ms: -HOUR_MS },
    { title: 'an hour ahead', ms: HOUR_MS },
  ])('that is $title keeps the limits of those whose clock is right', async ({ ms }) => {
    const name = world.freshName();
    const right = await world.limiter({ clock: offBy(0) }, sender);
    await right.acquire(name, 'api', { rpm: CAPACITY }, options);
    const wrong = await world.limiter({ clock: offBy(ms), clockCorrection: true }, sender);

    const verdict = await wrong.tryAcquire(name, 'api', { rpm: CAPACITY }, options);

    expect(verdict.allowed).toBe(false);
    if (!verdict.allowed) expect(verdict.retryAfterMs).toBeLessThan(70_000);
    const { clock } = wrong.stats();
    expect(clock).toMatchObject({ isCorrected: true });
    // The engine may keep the text of a date for as long as it says: a second.
    expect(Math.abs((clock?.offsetMs ?? 0) + ms)).toBeLessThan((clock?.errorMs ?? 0) + 1_000);
  });
});

describe('the correction of clocks', () => {
  const open = (more: object) => RateLimiter.open({ ...world.table.connection, table: world.table.table, ...more });

  it('is on for the clock of the machine, and leaves it alone where it is right', async () => {
    const limiter = await open({});

    expect(limiter.stats().clock).toMatchObject({ isCorrected: false, correctionMs: 0 });
    await limiter.close();
  });

  it('is off for a clock that was handed in, and wherever it is turned off', async () => {
    for (const more of [{ clock: offBy(HOUR_MS) }, { clockCorrection: false }]) {
      const limiter = await open(more);
      expect(limiter.stats()).not.toHaveProperty('clock');
      await limiter.close();
    }
  });

  it('is told of once, in words, and shared by the namespaces of a limiter', async () => {
    const warnings: (Error & { code?: string })[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on('warning', hear);
    const limiter = await open({ clock: offBy(-HOUR_MS), clockCorrection: true });
    const other = await limiter.namespace('default');
    for (let times = 0; times < 3; times += 1) await other.acquire(world.freshName(), 'api', { rpm: 1 }, options);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', hear);

    const ours = warnings.filter(({ code }) => code === 'MILLRACE_CLOCK');
    expect(ours).toHaveLength(1);
    expect(ours[0]?.message).toMatch(/at least 3[56]\d{5} ms behind DynamoDB's/);
    expect(other.stats().clock).toMatchObject({ isCorrected: true });
    await other.close();
    await limiter.close();
  });
});
