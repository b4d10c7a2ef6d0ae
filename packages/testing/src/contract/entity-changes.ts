import { type EntityStore, newEntity } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { NOW_MS, ScratchFamily } from './scratch-family.js';

/** Creating and finding. */
export function describeCreation(store: () => EntityStore): void {
  describe('creating an entity', () => {
    it('stores all that is said of it', async () => {
      const family = new ScratchFamily(store());
      const org = await family.created('org');
      const project = await family.created('project', org);
      const key = newEntity('key', project, true, undefined, NOW_MS);

      await family.create(key);

      expect(await family.find('key')).toEqual({
        id: 'key',
        parent: 'project',
        parentVersion: project.version,
        cascade: true,
        ancestors: ['project', 'org'],
        chargedCount: 2,
        version: NOW_MS * 1000,
        createdAtMs: NOW_MS,
        childCount: 0,
        deleted: false,
      });
    });

    it('leaves no trace of one that was never created', async () => {
      const family = new ScratchFamily(store());

      expect(await family.find('nobody')).toBeUndefined();
      expect(await store().findEntity(family.namespaceId, 'nobody', 'eventual')).toBeUndefined();
      expect(await family.page('nobody', 10)).toEqual({ ids: [] });
    });

    it('conflicts with one that is there, and leaves that as it is', async () => {
      const family = new ScratchFamily(store());
      const org = await family.created('org');
      const first = await family.created('key');

      const change = await family.create(newEntity('key', org, true, undefined, NOW_MS + 1));

      expect(change).toBe('conflict');
      expect(await family.find('key')).toEqual(first);
      expect(await family.find('org')).toEqual(org);
      expect(await family.children('org')).toEqual([]);
    });

    it('conflicts when the one before is not as it was read', async () => {
      const family = new ScratchFamily(store());
      await family.created('key');
      const tombstone = await family.deleted('key');
      const older = { ...tombstone, version: tombstone.version - 1 };
      const imagined = newEntity('other', undefined, false, undefined, NOW_MS);

      expect(await family.create(newEntity('key', undefined, false, older, NOW_MS + 1), older)).toBe('conflict');
      expect(await family.create(newEntity('other', undefined, false, imagined, NOW_MS + 1), imagined)).toBe('conflict');
      expect(await family.find('key')).toEqual(tombstone);
      expect(await family.find('other')).toBeUndefined();
    });

    it('conflicts when there is no such parent, and stores nothing', async () => {
      const family = new ScratchFamily(store());
      const imagined = newEntity('ghost', undefined, false, undefined, NOW_MS);

      expect(await family.create(newEntity('key', imagined, true, undefined, NOW_MS))).toBe('conflict');

      expect(await family.find('key')).toBeUndefined();
      expect(await family.find('ghost')).toBeUndefined();
      expect(await family.children('ghost')).toEqual([]);
    });

    it('conflicts when the parent was deleted since it was read', async () => {
      const family = new ScratchFamily(store());
      const project = await family.created('project');
      const tombstone = await family.deleted('project');

      expect(await family.create(newEntity('key', project, true, undefined, NOW_MS))).toBe('conflict');

      expect(await family.find('key')).toBeUndefined();
      expect(await family.find('project')).toEqual(tombstone);
    });

    it.each([
      { title: 'moved below another', above: 'young', cascade: true },
      { title: 'stopped to cascade', above: 'old', cascade: false },
    ])('conflicts when the parent has $title since it was read', async ({ above, cascade }) => {
      const family = new ScratchFamily(store());
      const old = await family.created('old');
      await family.created('young');
      const project = await family.created('project', old);
      const tombstone = await family.deleted('project');
      const moved = newEntity('project', await family.existing(above), cascade, tombstone, NOW_MS);
      await family.create(moved, tombstone);

      expect(await family.create(newEntity('key', project, true, undefined, NOW_MS))).toBe('conflict');

      expect(await family.find('key')).toBeUndefined();
      expect(await family.find('project')).toEqual(moved);
    });

    it('counts children at the parent alone, and keeps its version', async () => {
      const family = new ScratchFamily(store());
      const org = await family.created('org');
      const project = await family.created('project', org);
      await family.created('key-1', project);
      await family.created('key-2', project);

      expect(await family.find('project')).toEqual({ ...project, childCount: 2 });
      expect(await family.find('org')).toEqual({ ...org, childCount: 1 });
    });
  });
}

/** Deleting, and creating again. */
export function describeDeletion(store: () => EntityStore): void {
  describe('deleting an entity', () => {
    it('leaves a tombstone of the version that was asked for, and takes the child off its parent', async () => {
      const family = new ScratchFamily(store());
      const org = await family.created('org');
      const key = await family.created('key', org);

      const tombstone = await family.deleted('key');

      expect(tombstone).toEqual({ ...key, version: key.version + 1, deleted: true });
      expect(await family.find('org')).toEqual({ ...org, childCount: 0 });
      expect(await family.children('org')).toEqual([]);
    });

    it('conflicts when it has children, and changes nothing', async () => {
      const family = new ScratchFamily(store());
      const org = await family.created('org');
      const project = await family.created('project', org);
      await family.created('key', project);

      expect(await family.delete(project)).toBe('conflict');

      expect(await family.find('project')).toEqual({ ...project, childCount: 1 });
      expect(await family.find('org')).toEqual({ ...org, childCount: 1 });
      expect(await family.children('org')).toEqual(['project']);
    });

    it('succeeds once the last child is gone', async () => {
      const family = new ScratchFamily(store());
      const org = await family.created('org');
      await family.created('key-1', org);
      await family.created('key-2', org);
      await family.deleted('key-1');
      expect(await family.delete(await family.existing('org'))).toBe('conflict');
      await family.deleted('key-2');

      expect((await family.deleted('org')).deleted).toBe(true);
    });

    it('conflicts when it is not as it was read', async () => {
      const family = new ScratchFamily(store());
      const org = await family.created('org');
      const key = await family.created('key', org);

      expect(await family.delete({ ...key, version: key.version - 1 })).toBe('conflict');
      expect(await family.delete(newEntity('nobody', org, true, undefined, NOW_MS))).toBe('conflict');

      expect(await family.find('key')).toEqual(key);
      expect(await family.find('nobody')).toBeUndefined();
      expect(await family.find('org')).toEqual({ ...org, childCount: 1 });
    });

    it('conflicts the second time', async () => {
      const family = new ScratchFamily(store());
      const org = await family.created('org');
      await family.created('sibling', org);
      const key = await family.created('key', org);
      await family.deleted('key');

      expect(await family.delete(key)).toBe('conflict');

      expect(await family.find('org')).toEqual({ ...org, childCount: 1 });
    });

    it('lets it be created again below another, with a version that goes on growing', async () => {
      const family = new ScratchFamily(store());
      const [old, young] = [await family.created('old'), await family.created('young')];
      await family.created('key', old);
      const tombstone = await family.deleted('key');

      const again = await family.created('key', young, tombstone);

      expect(again.version).toBeGreaterThan(tombstone.version);
      expect(again).toMatchObject({ deleted: false, childCount: 0, ancestors: ['young'] });
      expect(await family.children('old')).toEqual([]);
      expect(await family.children('young')).toEqual(['key']);
    });

    it('does not let it be created as if it had never been', async () => {
      const family = new ScratchFamily(store());
      await family.created('key');
      const tombstone = await family.deleted('key');

      expect(await family.create(newEntity('key', undefined, false, undefined, NOW_MS + 1))).toBe('conflict');

      expect(await family.find('key')).toEqual(tombstone);
    });
  });
}
