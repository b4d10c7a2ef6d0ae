import { Limit, type RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limiterAs } from './deployed.js';

const HOUR_MS = 3_600_000;
/** The bound for the ledger. */
const BOOKED_WITHIN_MS = 5_000;

describe('the SDK, under the granted roles only (W-38: who may only acquire can acquire)', () => {
  let operator: RateLimiter;
  let service: RateLimiter;
  let reader: RateLimiter;
  beforeAll(async () => {
    [operator, service, reader] = [await limiterAs('Admin'), await limiterAs('Acquire'), await limiterAs('Read')];
    await operator.limits.setResource('gpt-4', [Limit.perMinute('rpm', 500), Limit.perMinute('tpm', 800_000)]);
    await operator.limits.setResource('slow', [Limit.perDay('calls', 40), Limit.perDay('tokens', 50)]);
  });
  afterAll(async () => {
    for (const limiter of [operator, service, reader]) await limiter?.close();
  });

  it('creates entities, acquires, cascades, adjusts and gives back at every level, and is refused beyond the limit', async () => {
    await operator.entities.create('use-org');
    await operator.entities.create('use-project', { parent: 'use-org', cascade: true });
    await operator.entities.create('use-key', { parent: 'use-project', cascade: true });

    const lease = await service.acquire('use-key', 'slow', { calls: 1, tokens: 20 });
    await lease.adjust({ tokens: 10 });
    await lease.adjust({ tokens: -5 });
    await lease.commit();
    await (await service.acquire('use-key', 'slow', { calls: 3, tokens: 8 })).release();

    // No token comes back within a quarter of an hour, so these are exact.
    for (const entity of ['use-key', 'use-project', 'use-org']) {
      expect(await service.available(entity, 'slow'), entity).toEqual({ calls: 39, tokens: 25 });
    }
    expect(await service.tryAcquire('use-key', 'slow', { tokens: 26 })).toMatchObject({ allowed: false });
  });

  it('finds in the ledger what its callers used, at every level, within five seconds', async () => {
    const entity = 'ledger-key';
    await operator.entities.create('ledger-org');
    await operator.entities.create('ledger-project', { parent: 'ledger-org', cascade: true });
    await operator.entities.create(entity, { parent: 'ledger-project', cascade: true });
    const net = { rpm: 0, tpm: 0 };
    const taken = Array.from({ length: 40 }, (_, index) => 1 + (index % 7));
    await Promise.all(
      taken.map(async (tpm, index) => {
        const lease = await service.acquire(entity, 'gpt-4', { rpm: 1, tpm });
        if (index % 4 === 0) return lease.release();
        // Some used more than they took, some less.
        const more = (index % 3) - 1;
        if (more !== 0) await lease.adjust({ tpm: more });
        await lease.commit();
        net.rpm += 1;
        net.tpm += tpm + more;
      }),
    );

    const from = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS);
    const to = new Date(from.getTime() + 3 * HOUR_MS);
    const booked = async (of: string) => (await reader.usage.summary({ entity: of, from, to })).resources['gpt-4'];
    const levels = [entity, 'ledger-project', 'ledger-org'];
    const equal = { rpm: { net: net.rpm }, tpm: { net: net.tpm } };
    await expect
      .poll(() => Promise.all(levels.map(booked)), { timeout: BOOKED_WITHIN_MS, interval: 100 })
      .toMatchObject(levels.map(() => equal));
    // The longer windows are booked beside those of the hour, and nothing is lost between any of them.
    for (const level of levels) {
      await expect.poll(() => reader.usage.verify({ entity: level, settleMs: 0 })).toMatchObject({ clean: true, inFlight: [] });
    }
  });
});
