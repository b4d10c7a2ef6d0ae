import { Limit, MillraceError } from '@millrace/core';
import { applyManifest, manifest } from '@millrace/limits';
import { describe, expect, it } from 'vitest';
import { properties, StackWorld } from './stack-world.js';

const api = { resources: { api: ['rpm:5/min'] } };
const faster = { resources: { api: ['rpm:9/min'] } };
const more = { resources: { api: ['rpm:5/min'], extra: ['rpm:1/min'] } };
const byHand = [Limit.perMinute('rpm', 7)];

/** A stack that has created its limits. */
async function created(source: unknown, options: Record<string, unknown> = {}): Promise<{ world: StackWorld; id: string }> {
  const world = new StackWorld();
  const answer = await world.request(world.create(properties(source, options)));
  expect(answer).toMatchObject({ Status: 'SUCCESS' });
  return { world, id: answer.PhysicalResourceId };
}

describe('creating the resource', () => {
  it('makes the limits, says what it did, and names the resource after what it looks after', async () => {
    const world = new StackWorld();

    const answer = await world.request(world.create(properties(api)));

    expect(answer).toEqual({
      Status: 'SUCCESS',
      PhysicalResourceId: 'limits-table/default/m',
      StackId: expect.stringContaining('stack/Limits/'),
      RequestId: 'request-1',
      LogicalResourceId: 'Limits',
      Data: {
        Manifest: 'm',
        Namespace: 'default',
        Created: '1',
        Updated: '0',
        Deleted: '0',
        Unchanged: '0',
        Changes: 'create resource/api',
        Note: '',
      },
    });
    expect(await world.limits.limits.getResource('api')).toMatchObject({ limits: [{ name: 'rpm', refill: 5 }], managedBy: 'm' });
  });

  it('writes into the audit log which resource of which stack it was', async () => {
    const { world } = await created(api);
    expect(world.limits.events()).toMatchObject([{ actor: 'cloudformation Limits/Limits' }]);
  });

  it('logs the plan, and the answer without the address that anybody could answer to', async () => {
    const { world } = await created(api);
    expect(world.lines).toMatchObject([
      { event: 'plan', summary: { create: 1 }, changes: [{ action: 'create', target: 'resource/api' }] },
      { event: 'answer', request: 'Create', ok: true },
    ]);
    expect(JSON.stringify(world.lines)).not.toContain('signature');
  });

  it('changes nothing when the same request is delivered again', async () => {
    const world = new StackWorld();
    const event = world.create(properties(api));
    const first = await world.request(event);
    const seen = world.seen();

    const second = await world.request(event);

    expect(second).toEqual({ ...first, Data: { ...first.Data, Created: '0', Unchanged: '1', Changes: '' } });
    expect(world.seen()).toEqual(seen);
    expect(world.limits.events()).toHaveLength(1);
  });

  it('succeeds twice when the same request is delivered twice at once', async () => {
    const world = new StackWorld();
    const event = world.create(properties(api));

    await Promise.all([world.invoke(event), world.invoke(event)]);

    expect(world.sent.map((text) => JSON.parse(text).Status)).toEqual(['SUCCESS', 'SUCCESS']);
    expect(world.limits.events()).toHaveLength(1);
  });

  it('tells of the resource that has applied the manifest so far', async () => {
    const { world } = await created(api);
    const answer = await world.request(world.create(properties(api), { LogicalResourceId: 'Moved' }));
    expect(answer.Data?.['Note']).toMatch(/^so far Limits of arn:.* has applied this manifest$/);
  });

  it.each([
    ['no manifest', { Manifest: undefined }, 'property Manifest must be text, got undefined'],
    ['a manifest with mistakes', { Manifest: '{"resources":{"api":["rpm"],"b":[]}}' }, 'the manifest has 2 mistakes'],
    ['no table', { Table: '' }, 'property Table must be text, got ""'],
    ['an odd flag', { Prune: 'yes' }, 'property Prune must be true or false, got "yes"'],
    ['a property that nobody reads', { Purne: 'true' }, 'got "Purne"'],
  ])('fails with a reason where there is %s', async (_, wrong, reason) => {
    const world = new StackWorld();
    const answer = await world.request(world.create(properties(api, wrong)));
    expect(answer.Status).toBe('FAILED');
    expect(answer.Reason).toContain(reason);
    expect(answer.Reason).toContain('(log: group, stream)');
    expect(world.limits.table.items()).toEqual([]);
  });

  it('fails with what the store says', async () => {
    const world = new StackWorld();
    world.opening = () => {
      throw new MillraceError('ACCESS_DENIED', 'access to table "limits-table" was denied');
    };
    const answer = await world.request(world.create(properties(api)));
    expect(answer).toMatchObject({ Status: 'FAILED', Reason: 'access to table "limits-table" was denied (log: group, stream)' });
  });

  it('is an error of the invocation where there is nobody to answer', async () => {
    const world = new StackWorld();
    const { ResponseURL: url, ...rest } = world.create(properties(api));
    await expect(world.invoke({ ...rest, ResponseURL: 'ftp://example' })).rejects.toThrow('event field ResponseURL');
    await expect(world.invoke({ ...rest, ResponseURL: url, RequestType: 'Replace' })).rejects.toThrow('Create, Update or Delete');
    expect(world.sent).toEqual([]);
  });
});

describe('updating the resource', () => {
  it('changes what is another, and keeps the name', async () => {
    const { world, id } = await created(api);

    const answer = await world.request(world.update(id, properties(faster), properties(api)));

    expect(answer).toMatchObject({ PhysicalResourceId: id, Data: { Updated: '1', Changes: 'update resource/api' } });
    expect(await world.limits.limits.getResource('api')).toMatchObject({ limits: [{ refill: 9 }] });
  });

  it('leaves what the manifest no longer says, unless it is to prune', async () => {
    const { world, id } = await created(more);
    await world.limits.limits.setResource('by hand', byHand);
    await applyManifest(world.limits.parts, manifest({ name: 'other', resources: { theirs: ['rpm:1/min'] } }));

    await world.request(world.update(id, properties(api), properties(more)));
    expect(await world.limits.limits.getResource('extra')).toBeDefined();

    const answer = await world.request(world.update(id, properties(api, { Prune: 'true' }), properties(api)));
    expect(answer.Data).toMatchObject({ Deleted: '1', Changes: 'delete resource/extra' });
    expect(await world.limits.limits.listResources()).toEqual({ names: ['api', 'by hand', 'theirs'] });
  });

  it('is taken back by the update with the old properties that CloudFormation sends when another resource fails', async () => {
    const [before, after] = [
      properties(api, { Prune: 'true' }),
      properties({ ...more, system: { onUnavailable: 'allow' } }, { Prune: 'true' }),
    ];
    const { world, id } = await created(api, { Prune: 'true' });
    const seen = world.seen();

    await world.request(world.update(id, after, before));
    expect(world.seen()).not.toEqual(seen);
    const answer = await world.request(world.update(id, before, after));

    expect(answer).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: id });
    expect(world.seen()).toEqual(seen);
  });

  it('takes another name for a manifest of another name, and the deletion of the old one takes nothing of the new one', async () => {
    const { world, id } = await created(more, { OnDelete: 'remove' });
    const renamed = properties({ ...api, name: 'n' }, { OnDelete: 'remove' });

    const answer = await world.request(world.update(id, renamed, properties(more)));
    expect(answer.PhysicalResourceId).toBe('limits-table/default/n');
    const deletion = await world.request(world.delete(id, properties(more, { OnDelete: 'remove' })));

    expect(deletion.Data).toMatchObject({ Deleted: '1', Changes: 'delete resource/extra' });
    expect(await world.limits.limits.getResource('api')).toMatchObject({ managedBy: 'n' });
  });

  it('has a name of bounded length, whatever the names', async () => {
    const long = '😀'.repeat(64);
    const { id } = await created({ name: long, resources: api.resources }, { Namespace: '/'.repeat(256) });
    const other = await created({ name: `${long.slice(2)}x`, resources: api.resources }, { Namespace: '/'.repeat(256) });
    expect(id.length).toBeLessThan(400);
    expect(other.id).not.toBe(id);
  });
});

describe('deleting the resource', () => {
  it('keeps the limits, unless it is to remove them', async () => {
    const { world, id } = await created(api);
    const answer = await world.request(world.delete(id, properties(api)));
    expect(answer).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: id, Data: { Note: 'the limits stay, as the resource says' } });
    expect(await world.limits.limits.getResource('api')).toMatchObject({ managedBy: 'm' });
  });

  it('removes what this manifest has made, and nothing else; also when it is delivered twice', async () => {
    const { world, id } = await created(api, { OnDelete: 'remove' });
    await world.limits.limits.setResource('by hand', byHand);
    const event = world.delete(id, properties(api, { OnDelete: 'remove' }));

    const answer = await world.request(event);
    const again = await world.request(event);

    expect(answer.Data).toMatchObject({ Deleted: '1', Changes: 'delete resource/api' });
    expect(again).toMatchObject({ Status: 'SUCCESS', Data: { Deleted: '0' } });
    expect(await world.limits.limits.listResources()).toEqual({ names: ['by hand'] });
  });

  it.each(['TABLE_NOT_FOUND', 'NAMESPACE_NOT_FOUND', 'NAMESPACE_STATE'] as const)(
    'succeeds with a note when there is nothing left: %s',
    async (code) => {
      const { world, id } = await created(api, { OnDelete: 'remove' });
      world.opening = () => {
        throw new MillraceError(code, 'it is gone');
      };
      const answer = await world.request(world.delete(id, properties(api, { OnDelete: 'remove' })));
      expect(answer).toMatchObject({ Status: 'SUCCESS', Data: { Note: 'there is nothing to remove: it is gone' } });
    },
  );

  it('fails when it is to remove and may not, and succeeds when it is to keep', async () => {
    const { world, id } = await created(api);
    world.opening = () => {
      throw new MillraceError('ACCESS_DENIED', 'no access');
    };
    expect(await world.request(world.delete(id, properties(api, { OnDelete: 'remove' })))).toMatchObject({ Status: 'FAILED' });
    const kept = await world.request(world.delete(id, properties(api)));
    expect(kept).toMatchObject({ Status: 'SUCCESS', Data: { Note: 'the limits stay; no access' } });
  });

  it('leaves the limits to a resource that has taken the manifest over, as when a construct is moved', async () => {
    const { world, id } = await created(api, { OnDelete: 'remove' });
    await world.request(world.create(properties(api, { OnDelete: 'remove' }), { LogicalResourceId: 'Moved' }));

    const answer = await world.request(world.delete(id, properties(api, { OnDelete: 'remove' })));

    expect(answer.Data?.['Note']).toMatch(/^manifest "m" is applied by Moved of arn:.* now: its limits stay$/);
    expect(await world.limits.limits.getResource('api')).toBeDefined();
  });

  it('needs no limits that can be read, only the name of the manifest', async () => {
    const { world, id } = await created(api, { OnDelete: 'remove' });
    const odd = properties({ resources: { api: ['of a newer release'] } }, { OnDelete: 'remove' });
    expect(await world.request(world.delete(id, odd))).toMatchObject({ Status: 'SUCCESS', Data: { Deleted: '1' } });
  });

  it('leaves another table alone, which it has no access to any more', async () => {
    const { world, id } = await created(api);
    const answer = await world.request(world.delete(id, properties(api, { Table: 'former-table', OnDelete: 'remove' })));
    expect(answer.Data?.['Note']).toBe('this function has access to table "limits-table" only: the limits in "former-table" stay');
    expect(await world.limits.limits.getResource('api')).toBeDefined();
  });
});
