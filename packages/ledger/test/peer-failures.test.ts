import { describe, expect, it } from 'vitest';
import { LedgerWorld } from './ledger-world.js';

describe('what goes wrong in the ledgers of peers, and not here', () => {
  it('hourly and daily windows that begin at 00:00 do not collide', async () => {
    const world = new LedgerWorld();
    await world.deliver(world.take('2027-01-15T00:10:00Z', 5), world.take('2027-01-15T07:00:00Z', 20));

    expect(world.usage('hour')).toEqual({ '2027-01-15T00:00': 5, '2027-01-15T07:00': 20 });
    expect(world.usage('day')).toEqual({ '2027-01-15T00:00': 25 });
  });

  it('the first acquire of a bucket is counted, and so is the first after it expired', async () => {
    const world = new LedgerWorld();
    const first = world.take('2027-01-15T00:10:00Z', 5);
    const expiry = world.expire('2027-01-25T00:00:00Z');
    await world.deliver(first, expiry, world.take('2027-01-25T03:00:00Z', 7));

    expect(world.usage('month')).toEqual({ '2027-01-01T00:00': 12 });
  });

  it('the first acquire of a limit that was dropped and comes back is counted, and the time between is not', async () => {
    const world = new LedgerWorld();
    const first = [world.take('2027-01-15T00:10:00Z', 5), world.take('2027-01-15T00:11:00Z', 100, 'tpm')];
    const drop = world.drop('2027-01-15T00:20:00Z', 'tpm');
    await world.deliver(...first, drop, world.take('2027-01-15T00:20:00Z', 40, 'tpm'), world.take('2027-01-15T00:21:00Z', 6));

    expect(world.usage('hour', 'tpm')).toEqual({ '2027-01-15T00:00': 140 });
    expect(world.usage('hour')).toEqual({ '2027-01-15T00:00': 11 });
  });

  it('a batch that is played again does not double, however long after', async () => {
    const world = new LedgerWorld();
    const early = [world.take('2027-01-15T00:10:00Z', 5), world.take('2027-01-15T00:20:00Z', 7)];
    await world.deliver(...early);
    await world.deliver(world.take('2027-01-15T00:30:00Z', 1));
    await world.deliver(...early);
    await world.deliver(...[...early].reverse());

    expect(world.usage('hour')).toEqual({ '2027-01-15T00:00': 13 });
  });

  it('what was given back counts against what was taken, and an expiry takes nothing back', async () => {
    const world = new LedgerWorld();
    await world.deliver(
      world.take('2027-01-15T00:10:00Z', 50),
      world.giveBack('2027-01-15T01:10:00Z', 30),
      world.expire('2027-01-25T00:00:00Z'),
    );

    expect(world.usage('hour')).toEqual({ '2027-01-15T00:00': 50, '2027-01-15T01:00': -30 });
    expect(world.usage('month')).toEqual({ '2027-01-01T00:00': 20 });
  });

  it('a late record lands in the window of its time, not in that of its arrival', async () => {
    const world = new LedgerWorld();
    const [early, late] = [world.take('2027-01-15T00:10:00Z', 5), world.take('2027-01-15T05:10:00Z', 7)];
    await world.deliver(late);
    await world.deliver(early);

    expect(world.usage('hour')).toEqual({ '2027-01-15T00:00': 5, '2027-01-15T05:00': 7 });
  });

  it('a record that cannot be read is an error: no ledger is written that passes it over', async () => {
    const world = new LedgerWorld();
    const record = world.take('2027-01-15T00:10:00Z', 5);
    const { 'u.rpm': _, ...broken } = record.newImage ?? {};

    await expect(world.deliver({ ...record, newImage: broken })).rejects.toThrow('"u.rpm" is no number');
    expect(world.windows()).toEqual([]);
  });
});
