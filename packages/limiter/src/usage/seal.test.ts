import { MemoryTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { DAY_MS, NAMESPACE, UsageWorld } from '../../test/usage-world.js';
import { SealInterrupted, type SealOptions, sealWindow } from './seal.js';

const may = { resource: 'gpt-4', type: 'month', start: new Date('2027-05-10') } as const;

async function sealedWorld() {
  const table = new MemoryTable();
  const world = new UsageWorld({ table });
  await world.at('2027-05-10T08:00:00Z').use({ used: 10 });
  await world.use({ used: 5, entity: 'key-2', limit: 'tpm' });
  await world.use({ returned: 2 });
  const late = await world.at('2027-05-31T23:59:59Z').write({ used: 4 });
  await world.at('2027-06-02T00:00:00Z').use({ used: 1, entity: 'key-3' });
  return { table, world, late };
}

describe('the seal of a window', () => {
  it('says what all entities used in it, once and for all, and leaves an event', async () => {
    const { table, world } = await sealedWorld();

    const seal = await world.usage.seal(may);
    world.nowMs += DAY_MS;

    expect(seal).toStrictEqual({
      resource: 'gpt-4',
      type: 'month',
      start: new Date('2027-05-01'),
      end: new Date('2027-06-01'),
      sealedAt: new Date('2027-06-02'),
      totals: { rpm: { used: 10, returned: 2, net: 8 }, tpm: { used: 5, returned: 0, net: 5 } },
      entities: 2,
      windows: 2,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await world.usage.seal(may)).toStrictEqual(seal);
    expect(await world.usage.checkSeal(may)).toMatchObject({ intact: true, seal, now: { hash: seal.hash } });
    expect(table.items().filter((item) => item['PK'] === `${NAMESPACE}/a`)).toMatchObject([
      { action: 'usage.seal', subject: 'resource/gpt-4' },
    ]);
  });

  it('is broken by a record that comes later, if only by one that gives back', async () => {
    const { world, late } = await sealedWorld();
    await world.usage.seal(may);
    await world.book([late]);

    expect(await world.usage.checkSeal(may)).toMatchObject({
      intact: false,
      seal: { totals: { rpm: { net: 8 } } },
      now: { totals: { rpm: { net: 12 } } },
    });

    const other = await sealedWorld();
    const back = await other.world.at('2027-05-31T23:59:59Z').write({ returned: 1 });
    await other.world.book([other.late]);
    await other.world.at('2027-06-02T00:00:00Z').usage.seal(may);
    expect(await other.world.usage.checkSeal(may)).toMatchObject({ intact: true });
    await other.world.book([back]);
    expect(await other.world.usage.checkSeal(may)).toMatchObject({ intact: false, now: { totals: { rpm: { used: 14, returned: 3 } } } });
  });

  it('is broken by a window that is taken out by hand', async () => {
    const { table, world } = await sealedWorld();
    await world.usage.seal(may);

    const [key2] = table.items().filter((item) => item['PK'] === `${NAMESPACE}/u/key-2` && String(item['SK']).startsWith('month/'));
    await table.deleteAll([{ partition: String(key2?.['PK']), sort: String(key2?.['SK']) }]);
    expect(await world.usage.checkSeal(may)).toMatchObject({ intact: false, now: { entities: 1, windows: 1 } });
  });

  it('stays whole under a repair, which books what was lost into the window after it', async () => {
    const { world } = await sealedWorld();
    await world.usage.seal(may);
    await world.at('2027-06-02T12:00:00Z').use({ used: 1 });
    const { repaired } = await world.usage.repair();

    expect(repaired.map(({ type, window }) => `${type} ${window.toISOString().slice(0, 10)}`)).toContain('month 2027-06-01');
    expect(await world.usage.checkSeal(may)).toMatchObject({ intact: true });
  });

  it('is not written where there was no time to read all windows, and is whole the next time', async () => {
    const { table, world } = await sealedWorld();
    const answers = [true, false];
    const hasTime = (): boolean => answers.shift() ?? false;

    await expect(sealWindow({ ...world.parts, mayGoOn: hasTime }, may)).rejects.toThrow(SealInterrupted);
    expect(table.items().filter((item) => String(item['PK']).includes('/seal/'))).toEqual([]);
    expect(await sealWindow(world.parts, may)).toMatchObject({ windows: 2, entities: 2 });
  });

  it('is not written where nobody used the resource, if that is asked for, and else it is', async () => {
    const { table, world } = await sealedWorld();
    const mistyped = { ...may, resource: 'gtp-4' };

    await expect(world.usage.seal({ ...mistyped, allowEmpty: false })).rejects.toMatchObject({ code: 'VALIDATION', value: 'gtp-4' });
    expect(table.items().filter((item) => String(item['PK']).includes('/seal/'))).toEqual([]);
    expect(await world.usage.seal(mistyped)).toMatchObject({ windows: 0, totals: {} });
    expect(await world.usage.seal({ ...may, allowEmpty: false })).toMatchObject({ windows: 2 });
  });

  it('is not to be had for a window into which records may still come, nor to be checked where there is none', async () => {
    const { world } = await sealedWorld();

    await expect(world.usage.seal({ ...may, start: new Date('2027-06-02') })).rejects.toMatchObject({ code: 'VALIDATION' });
    world.at('2027-06-01T23:59:59Z');
    await expect(world.usage.seal(may)).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(world.usage.checkSeal(may)).rejects.toMatchObject({ code: 'NOT_SEALED' });
    expect(await world.usage.seal({ ...may, lateMs: DAY_MS / 2 })).toMatchObject({ windows: 2 });
  });

  it.each([{ resource: '' }, { type: 'year' }, { start: 'may' }, { lateMs: -1 }, { allowEmpty: 1 }, { sign: true }])(
    'refuses %j',
    async (bad) => {
      await expect(new UsageWorld().usage.seal({ ...may, ...bad } as SealOptions)).rejects.toMatchObject({ code: 'VALIDATION' });
    },
  );
});
