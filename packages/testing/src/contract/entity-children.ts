import type { EntityStore } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { AWKWARD_NAMES } from './awkward-names.js';
import { ScratchFamily } from './scratch-family.js';

/** Listing children. */
export function describeChildren(store: () => EntityStore): void {
  async function familyOf(ids: readonly string[]): Promise<ScratchFamily> {
    const family = new ScratchFamily(store());
    const parent = await family.created('parent');
    for (const id of ids) await family.created(id, parent);
    return family;
  }

  describe('listing children', () => {
    it('gives each once, in the order of the bytes of their escaped names, whatever the size of a page', async () => {
      const family = await familyOf(AWKWARD_NAMES);
      const expected = [...AWKWARD_NAMES].sort((a, b) => Buffer.compare(escapedBytes(a), escapedBytes(b)));

      for (const pageSize of [1, 7, AWKWARD_NAMES.length, 1_000]) {
        expect(await family.children('parent', pageSize)).toEqual(expected);
      }
    });

    it.each([
      { pageSize: 1, sizes: [1, 1, 1, 1, 1, 1] },
      { pageSize: 2, sizes: [2, 2, 2] },
      { pageSize: 4, sizes: [4, 2] },
      { pageSize: 6, sizes: [6] },
      { pageSize: 7, sizes: [6] },
    ])('gives no next on the last page, also when it is full: six in pages of $pageSize', async ({ pageSize, sizes }) => {
      const family = await familyOf(['1', '2', '3', '4', '5', '6']);

      const found: number[] = [];
      let after: string | undefined;
      do {
        const page = await family.page('parent', pageSize, after);
        found.push(page.ids.length);
        expect('next' in page).toBe(page.next !== undefined);
        after = page.next;
      } while (after !== undefined && found.length < 10);

      expect(found).toEqual(sizes);
    });

    it('goes on behind a child that was deleted meanwhile, without leaving out or repeating another', async () => {
      const family = await familyOf(['b', 'd', 'f', 'h']);
      const { ids, next } = await family.page('parent', 2);
      const parent = await family.existing('parent');
      await family.deleted('d');
      await family.created('a', parent);
      await family.created('e', parent);

      expect(ids).toEqual(['b', 'd']);
      expect((await family.page('parent', 10, next)).ids).toEqual(['e', 'f', 'h']);
    });

    it('gives nothing behind the last', async () => {
      const family = await familyOf(['a', 'b']);

      expect(await family.page('parent', 10, 'b')).toEqual({ ids: [] });
      expect(await family.page('parent', 10, 'z')).toEqual({ ids: [] });
    });

    it('leaves out grandchildren, and the parent itself', async () => {
      const family = await familyOf(['child']);
      await family.created('grandchild', await family.existing('child'));

      expect(await family.children('parent')).toEqual(['child']);
    });

    it('keeps parents apart whose names look alike', async () => {
      const family = new ScratchFamily(store());
      for (const [index, name] of AWKWARD_NAMES.entries()) await family.created(`only-${index}`, await family.created(name));

      for (const [index, name] of AWKWARD_NAMES.entries()) expect(await family.children(name)).toEqual([`only-${index}`]);
    });
  });
}

function escapedBytes(name: string): Buffer {
  return Buffer.from(name.replaceAll('%', '%25').replaceAll('/', '%2F'), 'utf8');
}
