import { Limit } from '@millrace/limiter';
import { RESOURCE } from './ground.js';
import { after, entity, less, levelOf, lineage, type Operation, published, take } from './operation.js';

/** Acquires that are admitted. */
export const ACQUIRES: readonly Operation[] = [
  {
    id: 'first',
    published: published('acquire, slow path', '1', '1'),
    ours: 'acquire, the first ever of its bucket',
    async count(stand) {
      const name = await entity(stand, 'first');
      return stand.ground.meter.count(() => take(stand.one, name));
    },
  },
  {
    id: 'first cascade',
    published: published('acquire with cascade, slow path (transaction)', '2', '4'),
    ours: 'the same over two levels',
    async count(stand) {
      const name = await lineage(stand, 'first-cascade', 2);
      return stand.ground.meter.count(() => take(stand.one, name));
    },
  },
  {
    id: 'warm',
    published: published('speculative success', '0', '1'),
    ours: 'acquire, two limits',
    async count(stand) {
      const name = await entity(stand, 'warm');
      return after(
        stand,
        () => take(stand.one, name),
        () => take(stand.one, name),
      );
    },
  },
  {
    id: 'ten limits',
    ours: 'acquire, ten limits',
    async count(stand) {
      const name = await entity(stand, 'ten');
      const limits = Array.from({ length: 10 }, (_, index) => Limit.perMinute(`l${index}`, 600));
      const amounts = Object.fromEntries(limits.map((limit) => [limit.name, 1]));
      const acquire = (): Promise<unknown> => stand.one.acquire(name, RESOURCE, amounts, { limits });
      return after(stand, acquire, acquire);
    },
  },
  {
    id: 'cascade',
    published: published('speculative success + cascade, sequential or parallel', '0', '2'),
    ours: 'acquire over two levels',
    async count(stand) {
      const name = await lineage(stand, 'cascade', 2);
      return after(
        stand,
        () => take(stand.one, name),
        () => take(stand.one, name),
      );
    },
  },
  {
    id: 'deep cascade',
    ours: 'acquire over four levels',
    async count(stand) {
      const name = await lineage(stand, 'deep', 4);
      return after(
        stand,
        () => take(stand.one, name),
        () => take(stand.one, name),
      );
    },
  },
  {
    id: 'crowd',
    ours: '64 acquires of one bucket at once, together',
    note: 'callers of one process share a write',
    async count(stand) {
      const name = await entity(stand, 'crowd');
      const crowd = (): Promise<unknown> => Promise.all(Array.from({ length: 64 }, () => take(stand.one, name)));
      return after(stand, () => take(stand.one, name), crowd);
    },
  },
];

/** Acquires that guessed the form of the bucket wrong, because another process has been there. */
export const GUESSES: readonly Operation[] = [
  {
    id: 'wrong form',
    published: published('speculative fallback, no cascade', '1', '2'),
    ours: 'acquire, form guessed wrong',
    async count(stand) {
      const name = await entity(stand, 'wrong');
      return after(
        stand,
        () => take(stand.other, name),
        () => take(stand.one, name),
      );
    },
  },
  {
    id: 'wrong form above',
    published: published('speculative cascade fallback, parent refill helps', '0.5', '3'),
    ours: 'acquire over two levels, form guessed wrong at one',
    async count(stand) {
      const name = await lineage(stand, 'wrong-above', 2);
      return after(
        stand,
        () => take(stand.other, levelOf(name, 1)),
        () => take(stand.one, name),
      );
    },
  },
  {
    id: 'contention',
    published: published('retry on contention', '0', '1'),
    ours: 'what a wrong guess adds',
    async count(stand) {
      const [right, wrong] = [await entity(stand, 'right-guess'), await entity(stand, 'wrong-guess')];
      const plain = await after(
        stand,
        () => Promise.resolve(),
        () => take(stand.one, right),
      );
      return less(
        await after(
          stand,
          () => take(stand.other, wrong),
          () => take(stand.one, wrong),
        ),
        plain,
      );
    },
  },
];
