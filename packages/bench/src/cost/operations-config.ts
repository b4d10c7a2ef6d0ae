import { Limit } from '@millrace/limiter';
import { LIMITS, RESOURCE } from './ground.js';
import { after, entity, less, lineage, type Operation, published, take } from './operation.js';

/** What a process reads that does not remember what holds. */
export const CONFIG: readonly Operation[] = [
  {
    id: 'config miss',
    published: published('config cache miss', '+3', '0'),
    ours: 'what an acquire adds that remembers nothing',
    note: 'five items in one request, half a unit each',
    async count(stand) {
      const name = await entity(stand, 'unmet');
      const cold = await stand.ground.open();
      return less(await stand.ground.meter.count(() => take(cold, name)), { requests: 1, readUnits: 0, writeUnits: 1 });
    },
  },
  {
    id: 'config miss of another entity',
    ours: 'the same, of one more entity on a resource that is remembered',
    note: 'three items',
    async count(stand) {
      return less(await stand.ground.meter.count(() => take(stand.one, 'unmet-too')), { requests: 1, readUnits: 0, writeUnits: 1 });
    },
  },
  {
    id: 'config miss above',
    ours: 'the same, remembering nothing, over four levels',
    note: 'three items more for each ancestor, all in one more request',
    async count(stand) {
      const name = await lineage(stand, 'unmet-deep', 4);
      const cold = await stand.ground.open();
      return less(await stand.ground.meter.count(() => take(cold, name)), { requests: 4, readUnits: 0, writeUnits: 4 });
    },
  },
];

/** Looking, and administering. */
export const ADMINISTRATION: readonly Operation[] = [
  {
    id: 'available',
    published: published('available', '1', '0'),
    ours: 'available, one level',
    async count(stand) {
      const name = await entity(stand, 'available');
      return stand.ground.meter.count(() => stand.one.available(name, RESOURCE));
    },
  },
  {
    id: 'get limits',
    published: published('get_limits', '1', '0'),
    ours: 'limits.getResource',
    count: ({ ground, one }) => ground.meter.count(() => one.limits.getResource(RESOURCE)),
  },
  {
    id: 'set limits',
    published: published('set_limits, N limits', '1', 'N+1'),
    ours: 'limits.setResource, two limits, the first of a resource',
    note: 'one transaction: the level, its name in the list, the event in two logs, after a look at the namespace; two units for each kilobyte',
    count: ({ ground, one }) => ground.meter.count(() => one.limits.setResource('new', LIMITS)),
  },
  {
    id: 'set ten limits',
    ours: 'limits.setResource, ten limits, of a resource that has some',
    async count(stand) {
      const ten = Array.from({ length: 10 }, (_, index) => Limit.perMinute(`l${index}`, 600));
      return after(
        stand,
        () => stand.one.limits.setResource('newer', LIMITS),
        () => stand.one.limits.setResource('newer', ten),
      );
    },
  },
  {
    id: 'delete entity',
    published: published('delete_entity', '1', 'batches of 25'),
    ours: 'entities.delete, with 30 buckets',
    async count(stand) {
      const prepare = async (): Promise<void> => {
        await stand.one.entities.create('gone');
        for (let index = 0; index < 30; index += 1) await stand.one.acquire('gone', `resource-${index}`, { rpm: 1 }, { limits: LIMITS });
      };
      return after(stand, prepare, () => stand.one.entities.delete('gone'));
    },
  },
];
