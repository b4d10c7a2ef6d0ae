import { type ConfigLevel, Limit } from '@millrace/core';
import { administrationOf, type LevelChange, type StoredLimits } from '@millrace/limiter/admin';
import { describe, expect, it } from 'vitest';
import { limitsWorld } from '../../test/limits-world.js';

const rpm = [Limit.perMinute('rpm', 500)];
const bad = (value: unknown): never => value as never;

const CALLS: readonly [string, (limits: StoredLimits) => Promise<unknown>, string][] = [
  ['no level', (limits) => limits.set(bad(undefined), rpm), 'level must be an object like { level: "system" }, got undefined'],
  ['an unknown level', (limits) => limits.get(bad({ level: 'global' })), 'level must be one of system, resource, entity-default, entity'],
  ['an inherited word', (limits) => limits.get(bad({ level: 'constructor' })), 'got "constructor"'],
  [
    'a level with too much',
    (limits) => limits.get(bad({ level: 'system', resource: 'a' })),
    'level key must be one of level, got "resource"',
  ],
  ['a level with too little', (limits) => limits.delete(bad({ level: 'entity', entity: 'a' })), 'resource must be a string'],
  ['an empty name', (limits) => limits.setResource('', rpm), 'resource must be a string of at least one character'],
  ['a name that is too long', (limits) => limits.setEntityDefault('x'.repeat(257), rpm), 'entity must be at most 256 bytes'],
  ['no limits', (limits) => limits.setSystem([]), 'limits of system must be an array of 1 to 10 limits, got an array of 0'],
  [
    'limits that are none',
    (limits) => limits.setSystem(bad('rpm:5/min')),
    'limits of system must be an array of 1 to 10 limits, got "rpm:5/min"',
  ],
  ['one name twice', (limits) => limits.setSystem([...rpm, ...rpm]), 'limits of system must be limits of different names'],
  ['a fraction', (limits) => limits.setSystem([{ name: 'rpm', refill: 1.5, periodMs: 1 }]), 'limit "rpm": refill must be a whole number'],
  ['a number as text', (limits) => limits.setSystem([{ name: 'rpm', refill: bad('5'), periodMs: 1 }]), 'got "5"'],
  ['an unknown option', (limits) => limits.setSystem(rpm, bad({ principal: 'ann' })), 'options key must be one of actor, got "principal"'],
  ['no actor', (limits) => limits.deleteSystem({ actor: '' }), 'option "actor" must be a string of 1 to 256 characters, got ""'],
  ['an unknown policy', (limits) => limits.setOnUnavailable(bad('deny')), 'onUnavailable must be "block" or "allow", got "deny"'],
  ['a page of none', (limits) => limits.listResources({ pageSize: 0 }), 'option "pageSize" must be a whole number from 1 to 1000, got 0'],
  ['an unknown page option', (limits) => limits.listEntities('a', bad({ limit: 5 })), 'options key must be one of pageSize, after'],
  ['a place that is none', (limits) => limits.listOfEntity('a', { after: '' }), 'resource must be a string of at least one character'],
  ['no manifest', (limits) => limits.apply([], bad({})), 'manifest must be a string of at least one character'],
];

describe('stored limits', () => {
  it.each(CALLS)('refuse %s before anything is sent', async (_, call, message) => {
    const world = limitsWorld();

    await expect(call(world.limits)).rejects.toMatchObject({ code: 'VALIDATION', message: expect.stringContaining(message) });

    expect([world.reads(), world.transactions.length]).toEqual([0, 0]);
  });

  const first: LevelChange = { level: { level: 'resource', resource: 'a' }, limits: rpm };
  it.each<[string, unknown]>([
    ['a bad name', { level: { level: 'resource', resource: '' }, limits: rpm }],
    ['bad limits', { level: { level: 'resource', resource: 'b' }, limits: [] }],
    ['a policy below the system', { level: { level: 'resource', resource: 'b' }, onUnavailable: 'allow' }],
    ['the same level again', { level: { level: 'resource', resource: 'a' } satisfies ConfigLevel, limits: null }],
  ])('apply none of many changes when the last has %s', async (_, last) => {
    const world = limitsWorld();

    await expect(world.limits.apply([first, last as LevelChange], { manifest: 'm' })).rejects.toMatchObject({ code: 'VALIDATION' });

    expect([world.reads(), world.transactions.length]).toEqual([0, 0]);
  });
});

describe('administrationOf', () => {
  it.each([undefined, {}, 'limiter'])('refuses %j', (value) => {
    expect(() => administrationOf(value as object)).toThrow('limiter must be an open RateLimiter of this copy of the package');
  });
});
