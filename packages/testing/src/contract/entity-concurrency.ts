import { randomUUID } from 'node:crypto';
import { type EntityStore, newEntity } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { NOW_MS, ScratchFamily } from './scratch-family.js';

const CALLERS = 16;
const ROUNDS = 10;

/** Changes that arrive at once. */
export function describeEntityConcurrency(store: () => EntityStore): void {
  const callers = Array.from({ length: CALLERS }, (_, index) => index);

  describe('at once', () => {
    it('exactly one of many that create the same entity wins, and the parent counts one', async () => {
      const family = new ScratchFamily(store());
      const org = await family.created('org');
      const records = callers.map((index) => newEntity('key', org, true, undefined, NOW_MS + index));

      const changes = await Promise.all(records.map((record) => family.create(record)));

      expect(changes.filter((change) => change === 'done')).toHaveLength(1);
      expect(await family.find('key')).toEqual(records[changes.indexOf('done')]);
      expect(await family.find('org')).toEqual({ ...org, childCount: 1 });
      expect(await family.children('org')).toEqual(['key']);
    });

    it('exactly one of many that create an entity again over its tombstone wins', async () => {
      const family = new ScratchFamily(store());
      await family.created('key');
      const tombstone = await family.deleted('key');

      const changes = await Promise.all(
        callers.map((index) => family.create(newEntity('key', undefined, false, tombstone, NOW_MS + 1_000 + index), tombstone)),
      );

      expect(changes.filter((change) => change === 'done')).toHaveLength(1);
    });

    it('children of one parent are all created and counted', async () => {
      const family = new ScratchFamily(store());
      const org = await family.created('org');

      const changes = await Promise.all(
        callers.map((index) => family.create(newEntity(`key-${index + 10}`, org, true, undefined, NOW_MS))),
      );

      expect(new Set(changes)).toEqual(new Set(['done']));
      expect(await family.find('org')).toEqual({ ...org, childCount: CALLERS });
      expect(await family.children('org')).toEqual(callers.map((index) => `key-${index + 10}`));
    });

    it('exactly one of many that delete the same entity wins, and the parent counts one less', async () => {
      const family = new ScratchFamily(store());
      const org = await family.created('org');
      await family.created('sibling', org);
      const key = await family.created('key', org);

      const changes = await Promise.all(callers.map(() => family.delete(key)));

      expect(changes.filter((change) => change === 'done')).toHaveLength(1);
      expect(await family.find('org')).toEqual({ ...org, childCount: 1 });
    });

    it('a parent is deleted or gets a child, never both', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const family = new ScratchFamily(store());
        const org = await family.created('org');

        const [created, deleted] = await Promise.all([family.create(newEntity('key', org, true, undefined, NOW_MS)), family.delete(org)]);

        expect([created, deleted].sort()).toEqual(['conflict', 'done']);
        expect(await family.find('org')).toMatchObject({ deleted: deleted === 'done', childCount: created === 'done' ? 1 : 0 });
        expect(await family.children('org')).toEqual(created === 'done' ? ['key'] : []);
      }
    });
  });

  describe('namespaces', () => {
    it('whose names collide never see each other', async () => {
      const id = randomUUID().slice(0, 8);
      const families = [id, `${id}1`, `${id}e`].map((namespaceId) => new ScratchFamily(store(), namespaceId));
      const names = ['org', '1', 'e', '1/e/org', 'e/org'];
      const places = families.flatMap((family, index) => names.map((name) => ({ family, name, child: `child-${index}-of-${name}` })));
      for (const { family, name, child } of places) await family.created(child, await family.created(name));
      await families[0]?.deleted('child-0-of-org');

      for (const { family, name, child } of places) {
        const expected = child === 'child-0-of-org' ? [] : [child];
        expect(await family.children(name)).toEqual(expected);
        expect(await family.find(name)).toMatchObject({ id: name, childCount: expected.length });
      }
    });
  });
}
