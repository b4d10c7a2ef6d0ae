import { describe, expect, it } from 'vitest';
import { NAMESPACE_TAG } from '../stage.js';
import { attemptsAs } from './attempts.js';
import { deployed, roleSession } from './deployed.js';
import { GRANTED, GRANTED_WITHIN, listed } from './granted.js';

const { 'tenant-a': own = '', 'tenant-b': other = '' } = deployed.namespaceIds;

/** The bound for what each grant must be denied. */
const DENIED_AT_LEAST = 10;
const USES = ['Acquire', 'Read', 'Admin'] as const;
const grantOf = { Acquire: 'acquire', Read: 'read', Admin: 'admin' } as const;

/** What each role may do of all that is tried; whatever is not listed is denied. */
const roles: readonly (readonly [of: string, role: string, tags: Readonly<Record<string, string>>, allowed: readonly string[]])[] =
  USES.flatMap((use) => [
    ['of all namespaces', use, {}, GRANTED[grantOf[use]]],
    ['of one namespace', `${own}${use}`, {}, GRANTED_WITHIN[grantOf[use]]],
    ['of the namespace that its tag names', `Tagged${use}`, { [NAMESPACE_TAG]: own }, GRANTED_WITHIN[grantOf[use]]],
  ]);

describe('a granted role', () => {
  it.each(roles)('%s (%s) may do what it is for, and is denied the rest', async (_, role, tags, granted) => {
    const { allowed, denied } = await attemptsAs(await roleSession(role, tags), deployed, own, other);

    expect(allowed).toEqual(listed(granted));
    expect(denied.length).toBeGreaterThanOrEqual(DENIED_AT_LEAST);
  });

  it.each(['TaggedAcquire', 'TaggedRead', 'TaggedAdmin'])('%s may touch no namespace while its session has no tag', async (role) => {
    const { allowed } = await attemptsAs(await roleSession(role), deployed, own, other);

    expect(allowed).toEqual(['find a namespace by its name']);
  });
});
