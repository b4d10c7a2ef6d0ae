import type { RateLimiter } from '@millrace/limiter';
import { AMOUNTS, LIMITS, RESOURCE, SCARCE } from './ground.js';
import { after, entity, less, levelOf, lineage, type Operation, published } from './operation.js';

/** Drains a bucket by another process, so that the one that is counted has not seen it. */
const drain = (limiter: RateLimiter, name: string): Promise<unknown> => limiter.acquire(name, SCARCE, AMOUNTS);
const ask = (limiter: RateLimiter, name: string): Promise<unknown> => limiter.tryAcquire(name, SCARCE, AMOUNTS);

/** Acquires that are refused. */
export const REFUSALS: readonly Operation[] = [
  {
    id: 'rejection',
    published: published('speculative fast rejection', '0', '0'),
    ours: 'rejection, the first',
    note: 'the condition is refused, and AWS bills it; peers say 0',
    async count(stand) {
      const name = await entity(stand, 'refused');
      return after(
        stand,
        () => drain(stand.other, name),
        () => ask(stand.one, name),
      );
    },
  },
  {
    id: 'repeated rejection',
    ours: 'rejection, repeated',
    note: 'what was seen last proves it: no request',
    async count(stand) {
      const name = await entity(stand, 'refused-again');
      const prepare = async (): Promise<void> => {
        await drain(stand.other, name);
        await ask(stand.one, name);
      };
      return after(stand, prepare, () => ask(stand.one, name));
    },
  },
  {
    id: 'cascade rejection',
    published: published('cascade, rejected by the parent', '0', '2'),
    ours: 'rejection by the parent, the first',
    note: "the child's write, the refused one, and what gives back",
    async count(stand) {
      const name = await lineage(stand, 'refused-above', 2);
      return after(
        stand,
        () => drain(stand.other, levelOf(name, 1)),
        () => ask(stand.one, name),
      );
    },
  },
];

/** What comes after an acquire. */
export const SETTLING: readonly Operation[] = [
  {
    id: 'adjust',
    published: published('adjust', '0', '+1 per entity'),
    ours: 'adjust over two levels',
    async count(stand) {
      const name = await lineage(stand, 'adjust', 2);
      const lease = await stand.ground.meter.uncounted(() => stand.one.acquire(name, RESOURCE, AMOUNTS));
      return stand.ground.meter.count(() => lease.adjust({ tpm: 200 }));
    },
  },
  {
    id: 'release',
    published: published('rollback', '0', '+1 per entity'),
    ours: 'release over two levels',
    async count(stand) {
      const name = await lineage(stand, 'release', 2);
      const lease = await stand.ground.meter.uncounted(() => stand.one.acquire(name, RESOURCE, AMOUNTS));
      return stand.ground.meter.count(() => lease.release());
    },
  },
  {
    id: 'rested',
    published: published('aggregator refill, per active bucket', '0', '1'),
    ours: 'refill of a drained bucket',
    note: 'time refills it: an acquire of all that it holds, after a rest, less the first',
    async count(stand) {
      const name = await lineage(stand, 'rested', 1);
      const all = Object.fromEntries(LIMITS.map(({ name: limit, capacity }) => [limit, capacity]));
      const acquireAll = (): Promise<unknown> => stand.one.acquire(name, RESOURCE, all);
      const plain = await after(stand, () => Promise.resolve(), acquireAll);
      stand.ground.runtime.advance(90_000);
      return less(await stand.ground.meter.count(acquireAll), plain);
    },
  },
];
