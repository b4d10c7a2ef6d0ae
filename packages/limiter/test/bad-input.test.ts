import { Limit } from '@millrace/limiter';
import { afterAll, beforeAll } from 'vitest';
import { type BadCall, describeBadCalls } from './bad-call.js';
import { type BadInputWorld, CAPACITY, limits, openBadInputWorld, PARENT_CAPACITY } from './bad-input-world.js';

type Call = BadCall<BadInputWorld>;

let world: BadInputWorld;
beforeAll(async () => {
  world = await openBadInputWorld();
});
afterAll(() => world.close());

const acquire = (amounts: unknown, entity: unknown = 'child', resource: unknown = 'api') => {
  return ({ limiter }: BadInputWorld) => limiter.acquire(entity as string, resource as string, amounts as { rpm: number }, { limits });
};
const amount = (value: unknown, got: string): Call => ({
  title: `an amount of ${got}`,
  call: acquire({ rpm: value }),
  says: ['amount of "rpm"', 'whole number of tokens', `got ${got}`],
});

describeBadCalls('amounts that are refused', () => world, [
  amount(0, '0'),
  amount(-1, '-1'),
  amount(1.5, '1.5'),
  amount(Number.NaN, 'NaN'),
  amount(Number.POSITIVE_INFINITY, 'Infinity'),
  amount(2 ** 53, '9007199254740992'),
  amount('1', '"1"'),
  amount(1n, '1n'),
  amount(null, 'null'),
  amount(undefined, 'undefined'),
  amount(true, 'true'),
  amount([1], 'an array of 1'),
  amount({ tokens: 1 }, 'an object with tokens'),
  { title: 'more than the capacity', call: acquire({ rpm: CAPACITY + 1 }), says: ['"rpm"', '"child"', '"api"', `${CAPACITY}`, 'got 11'] },
  {
    title: "more than an ancestor's capacity",
    call: acquire({ rpm: PARENT_CAPACITY + 1 }),
    says: ['"rpm"', '"parent"', '"api"', `at most its capacity of ${PARENT_CAPACITY}`, 'got 7'],
  },
  { title: 'one limit of two above its capacity', call: acquire({ rpm: 1, tpm: 1_001 }), says: ['"tpm"', '1000', 'got 1001'] },
  {
    title: 'a limit that the entity does not have',
    call: acquire({ rpm: 1, rps: 1 }),
    says: ['"child" on "api"', 'rpm, tpm', 'got "rps"'],
  },
  { title: 'a limit named as a property of every object', call: acquire({ constructor: 1 }), says: ['rpm, tpm', 'got "constructor"'] },
  { title: 'none', call: acquire({}), says: ['amounts', 'at least one limit', 'an empty object'] },
  { title: 'none given', call: acquire(undefined), says: ['amounts', 'got undefined'] },
  { title: 'null', call: acquire(null), says: ['amounts', 'got null'] },
  { title: 'an array', call: acquire([1]), says: ['amounts', 'an array of 1'] },
  { title: 'a Map', call: acquire(new Map([['rpm', 1]])), says: ['amounts', 'at least one limit'] },
  { title: 'a number', call: acquire(1), says: ['amounts', 'got 1'] },
  {
    title: 'asked of tryAcquire',
    call: ({ limiter }) => limiter.tryAcquire('child', 'api', { rpm: 0 }, { limits }),
    says: ['amount of "rpm"', 'got 0'],
  },
  {
    title: 'asked of withLease, whose work is then not begun',
    call: ({ limiter }) => limiter.withLease('child', 'api', { rpm: -1 }, () => Promise.reject(new Error('begun')), { limits }),
    says: ['amount of "rpm"', 'got -1'],
  },
  {
    title: 'asked of timeUntilAvailable',
    call: ({ limiter }) => limiter.timeUntilAvailable('child', 'api', { rpm: CAPACITY + 1 }, { limits }),
    says: ['"rpm"', 'capacity of 10', 'got 11'],
  },
]);

const badNames: readonly { readonly title: string; readonly name: unknown; readonly says: readonly string[] }[] = [
  { title: 'empty', name: '', says: ['at least one character', 'got ""'] },
  { title: 'of 257 bytes', name: 'x'.repeat(257), says: ['256 bytes', '(257 characters)'] },
  { title: 'of 65 emoji', name: '🦀'.repeat(65), says: ['256 bytes'] },
  { title: 'with a NUL', name: 'a\0b', says: ['printable', 'a\\u0000b'] },
  { title: 'with a line break', name: 'a\nb', says: ['printable', 'a\\nb'] },
  { title: 'with a lone surrogate', name: 'a\ud83e', says: ['printable', 'a\\ud83e'] },
  { title: 'with a lone low surrogate', name: '\udd80a', says: ['printable', '\\udd80a'] },
  { title: 'a number', name: 7, says: ['a string', 'got 7'] },
  { title: 'undefined', name: undefined, says: ['a string', 'got undefined'] },
  { title: 'null', name: null, says: ['a string', 'got null'] },
  { title: 'an object', name: { id: 1 }, says: ['a string', 'an object with id'] },
  { title: 'a String', name: Object('boxed'), says: ['a string'] },
];

describeBadCalls('names that are refused', () => world, [
  ...badNames
    .filter(({ name }) => name !== undefined)
    .flatMap(({ title, name, says }): Call[] => [
      { title: `an entity's, ${title}`, call: acquire({ rpm: 1 }, name), says: ['entity', ...says] },
      { title: `a resource's, ${title}`, call: acquire({ rpm: 1 }, 'child', name), says: ['resource', ...says] },
      {
        title: `a created entity's, ${title}`,
        call: ({ limiter }) => limiter.entities.create(name as string),
        says: ['entity', ...says],
      },
      {
        title: `a parent's, ${title}`,
        call: ({ limiter }) => limiter.entities.create('new', { parent: name as string }),
        says: ['parent', ...says],
      },
    ]),
  {
    title: 'an entity, not given',
    call: ({ limiter }) => limiter.acquire(undefined as never, 'api', { rpm: 1 }, { limits }),
    says: ['entity'],
  },
  { title: 'an entity to get', call: ({ limiter }) => limiter.entities.get(''), says: ['entity', 'got ""'] },
  { title: 'an entity to delete', call: ({ limiter }) => limiter.entities.delete('\0'), says: ['entity', 'printable'] },
  { title: 'a parent to list', call: ({ limiter }) => limiter.entities.children(1 as never), says: ['parent', 'got 1'] },
  { title: 'an entity to ask for', call: ({ limiter }) => limiter.available('', 'api', { limits }), says: ['entity', 'got ""'] },
  {
    title: 'a resource to ask for',
    call: ({ limiter }) => limiter.timeUntilAvailable('child', 'a\u2028b', { rpm: 1 }, { limits }),
    says: ['resource', 'printable'],
  },
]);

const eleven = Array.from({ length: 11 }, (_, index) => Limit.perMinute(`l${index}`, 1));
const badLimits: readonly { readonly title: string; readonly limits: unknown; readonly says: readonly string[] }[] = [
  { title: 'not given', limits: undefined, says: ['limits of "child" on "api"', 'handed in'] },
  { title: 'null', limits: null, says: ['option "limits"', 'got null'] },
  { title: 'empty', limits: [], says: ['option "limits"', '1 to 10', 'an array of 0'] },
  { title: 'eleven', limits: eleven, says: ['option "limits"', '1 to 10', 'an array of 11'] },
  {
    title: 'two of one name',
    limits: [Limit.perMinute('rpm', 1), Limit.perHour('rpm', 1)],
    says: ['option "limits"', 'different names', 'rpm, rpm'],
  },
  { title: 'one, not in an array', limits: Limit.perMinute('rpm', 1), says: ['option "limits"', 'an array', 'an object with name'] },
  { title: 'short forms', limits: ['rpm:10/min'], says: ['limit', 'an object', 'rpm:10/min'] },
  { title: 'numbers', limits: [10], says: ['limit', 'an object', 'got 10'] },
  { title: 'holes', limits: [undefined], says: ['limit', 'an object', 'got undefined'] },
  { title: 'without a rate', limits: [{ name: 'rpm' }], says: ['limit "rpm": refill', 'got undefined'] },
  { title: 'with a key too many', limits: [{ name: 'rpm', refill: 1, periodMs: 1, burst: 1 }], says: ['limit key', 'got "burst"'] },
  { title: 'with a capacity of 0', limits: [{ name: 'rpm', refill: 1, periodMs: 1, capacity: 0 }], says: ['"rpm": capacity', 'got 0'] },
  { title: 'with a name that no attribute may have', limits: [{ name: 'r.p m', refill: 1, periodMs: 1 }], says: ['limit name', 'r.p m'] },
  { title: 'a function that gives none', limits: () => [], says: ['limits of "child"', 'an array of 0'] },
  {
    title: 'a function that gives nothing for the entity',
    limits: () => undefined,
    says: ['limits of "child" on "api"', 'given by the function'],
  },
  { title: 'a function that gives a promise', limits: async () => [Limit.perMinute('rpm', 1)], says: ['limits of "child"'] },
];

describeBadCalls(
  'limits that are refused',
  () => world,
  badLimits.flatMap(({ title, limits: bad, says }): Call[] => {
    const options = { limits: bad as never };
    return [
      { title: `acquire: ${title}`, call: ({ limiter }) => limiter.acquire('child', 'api', { rpm: 1 }, options), says },
      { title: `available: ${title}`, call: ({ limiter }) => limiter.available('child', 'api', options), says },
    ];
  }),
);
