import { Limit, type RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAMESPACE_TAG } from '../stage.js';
import { attemptsAs } from './attempts.js';
import { deployed, limiterAs, roleSession } from './deployed.js';

const { 'tenant-a': own = '', 'tenant-b': other = '' } = deployed.namespaceIds;

const serving = (whose: string) => [
  `write a bucket of the ${whose} namespace`,
  `read a bucket of the ${whose} namespace`,
  `read the limits of the ${whose} namespace`,
];
const reading = (whose: string) => [
  ...serving(whose).slice(1),
  `query the usage of the ${whose} namespace`,
  `query the index of the ${whose} namespace`,
];
const administering = (whose: string) => [
  ...serving(whose),
  `write the limits of the ${whose} namespace`,
  `put an entity into the ${whose} namespace`,
  `delete an entity of the ${whose} namespace`,
  `delete buckets of the ${whose} namespace`,
  `record a usage event in the ${whose} namespace`,
  ...reading(whose).slice(2),
];
const BOTH = ['read both namespaces at once', 'write both namespaces at once'];
const ALL_READ = [...reading('own'), ...reading('other'), BOTH[0] as string, 'list the namespaces', 'describe the table'];

/** What each role may do of all that is tried; whatever is not listed is denied. The last list is what an operator may do alone. */
const roles: readonly (readonly [of: string, role: string, tags: Readonly<Record<string, string>>, allowed: readonly string[]])[] = [
  ['of all namespaces', 'Acquire', {}, [...serving('own'), ...serving('other'), ...BOTH]],
  ['of all namespaces', 'Read', {}, ALL_READ],
  [
    'of all namespaces',
    'Admin',
    {},
    [
      ...ALL_READ,
      ...administering('own'),
      ...administering('other'),
      ...['delete an audit event of the own namespace', 'delete an audit event of the other namespace'],
      ...BOTH,
      ...['write the registry', 'delete from the registry', 'scan the table'],
    ],
  ],
  ...(['of one namespace', 'of the namespace that its tag names'] as const).flatMap((of) => {
    const [prefix, tags] = of === 'of one namespace' ? [own, {}] : ['Tagged', { [NAMESPACE_TAG]: own }];
    return [
      [of, `${prefix}Acquire`, tags, serving('own')],
      [of, `${prefix}Read`, tags, reading('own')],
      [of, `${prefix}Admin`, tags, administering('own')],
    ] as const;
  }),
];

describe('a granted role', () => {
  it.each(roles)('%s (%s) may do what it is for, and is denied the rest', async (_, role, tags, allowed) => {
    const found = await attemptsAs(await roleSession(role, tags), deployed, own, other);

    expect([...found].sort()).toEqual([...new Set([...allowed, 'find a namespace by its name'])].sort());
  });

  it.each(['TaggedAcquire', 'TaggedRead', 'TaggedAdmin'])('%s may touch no namespace while its session has no tag', async (role) => {
    expect(await attemptsAs(await roleSession(role), deployed, own, other)).toEqual(['find a namespace by its name']);
  });
});

describe('the SDK, under a role that is fenced to a namespace', () => {
  const limiters: RateLimiter[] = [];
  beforeAll(async () => {
    const operator = await limiterAs(`${own}Admin`, { namespace: 'tenant-a' });
    limiters.push(operator);
    await operator.limits.setSystem([Limit.perMinute('rpm', 100)]);
    await operator.entities.create('fenced-key');
  });
  afterAll(async () => {
    for (const limiter of limiters) await limiter.close();
  });

  it.each([
    ['of its own', `${own}Acquire`, {}],
    ['that its tag names', 'TaggedAcquire', { [NAMESPACE_TAG]: own }],
  ])('serves the namespace %s, and is refused in another one', async (_, role, tags) => {
    const credentials = await roleSession(role, tags);
    const service = await limiterAs(role, { credentials, namespace: 'tenant-a' });
    const elsewhere = await limiterAs(role, { credentials, namespace: 'tenant-b' });
    limiters.push(service, elsewhere);

    const lease = await service.acquire('fenced-key', 'api', { rpm: 1 });
    await lease.commit();

    expect(await service.available('fenced-key', 'api')).toMatchObject({ rpm: expect.any(Number) });
    await expect(elsewhere.acquire('fenced-key', 'api', { rpm: 1 })).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await expect(service.limits.setSystem([Limit.perMinute('rpm', 1_000_000)])).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
  });
});
