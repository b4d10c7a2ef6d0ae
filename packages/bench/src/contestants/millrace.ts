import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { AMPLE, type Contestant, type ContestantWorld, DRAINED, keyName, PARENT, RESOURCE } from './contestant.js';

/** How a limiter sends: through the SDK, or without it. */
type Transport = 'sdk' | 'lean';

const CREATED_AT_ONCE = 16;
const ONE = { requests: 1 };
const ONE_OF_EACH = { requests: 1, tokens: 1 };

/** Millrace with limits from the table, as a service uses it. */
export async function openMillrace(world: ContestantWorld, transport: Transport): Promise<Contestant> {
  const { table, endpoint, region, credentials, caseName, keys } = world;
  await createTable({ table, endpoint, region, credentials });
  const connection = { table, endpoint, region, credentials, transport };
  const limiter = await RateLimiter.open({ ...connection, requestTimeoutMs: 30_000, deadlineMs: 60_000 });
  const amounts = caseName === 'two-limits' ? ONE_OF_EACH : ONE;
  const limits = Object.keys(amounts).map((name) => Limit.of({ name, ...(caseName === 'exhausted' ? DRAINED : AMPLE) }));
  await limiter.limits.setResource(RESOURCE, limits);
  const names = Array.from({ length: keys }, (_, key) => keyName(key));
  // Registered, as the keys of a service are: of an entity that is not, the first absence is looked up again after two seconds.
  await limiter.entities.create(PARENT, {});
  const place = caseName === 'cascade' ? { parent: PARENT, cascade: true } : {};
  for (let first = 0; first < keys; first += CREATED_AT_ONCE) {
    await Promise.all(names.slice(first, first + CREATED_AT_ONCE).map((name) => limiter.entities.create(name, place)));
  }
  const before = limiter.stats();
  const sent = (requests: Readonly<Record<string, number>>): number => Object.values(requests).reduce((sum, count) => sum + count, 0);
  return {
    async take(key) {
      const name = names[key] as string;
      if (caseName !== 'available') return (await limiter.tryAcquire(name, RESOURCE, amounts)).allowed;
      await limiter.available(name, RESOURCE);
      return true;
    },
    counts() {
      const { requests, readUnits, writeUnits, refusedWrites } = limiter.stats();
      return {
        requests: sent(requests) - sent(before.requests),
        readUnits: readUnits - before.readUnits,
        writeUnits: writeUnits + refusedWrites - before.writeUnits,
      };
    },
    close: () => limiter.close(),
  };
}
