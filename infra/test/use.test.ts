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
    await operator.entities.create('use-org');
    await operator.entities.create('use-project', { parent: 'use-org', cascade: true });
    await operator.entities.create('use-key', { parent: 'use-project', cascade: true });
  });
  afterAll(async () => {
    for (const limiter of [operator, service, reader]) await limiter?.close();
  });

  it('acquires, cascades, adjusts and gives back, and is refused beyond the limit', async () => {
    const lease = await service.acquire('use-key', 'gpt-4', { rpm: 1, tpm: 1_000 });
    await lease.adjust({ tpm: 200 });
    await lease.commit();
    await (await service.acquire('use-key', 'gpt-4', { rpm: 3, tpm: 3_000 })).release();

    expect(await service.available('use-org', 'gpt-4')).toMatchObject({ rpm: expect.toSatisfy((left: number) => left < 500) });
    expect(await service.tryAcquire('use-key', 'gpt-4', { rpm: 500 })).toMatchObject({ allowed: false });
  });

  it('finds in the ledger what its callers used, at every level, within five seconds', async () => {
    const entity = 'ledger-key';
    await operator.entities.create('ledger-project');
    await operator.entities.create(entity, { parent: 'ledger-project', cascade: true });
    const taken = Array.from({ length: 40 }, (_, index) => 1 + (index % 7));
    await Promise.all(
      taken.map(async (tpm, index) => {
        const lease = await service.acquire(entity, 'gpt-4', { rpm: 1, tpm });
        if (index % 4 === 0) await lease.release();
        else await lease.commit();
      }),
    );
    const kept = taken.filter((_, index) => index % 4 !== 0);
    const own = { rpm: { net: kept.length }, tpm: { net: kept.reduce((sum, tpm) => sum + tpm, 0) } };

    const from = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS);
    const to = new Date(from.getTime() + 3 * HOUR_MS);
    const booked = async (of: string) => (await reader.usage.summary({ entity: of, from, to })).resources['gpt-4'];
    for (const of of [entity, 'ledger-project']) {
      await expect.poll(() => booked(of), { timeout: BOOKED_WITHIN_MS, interval: 100 }).toMatchObject(own);
    }
  });
});
