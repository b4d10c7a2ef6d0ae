import { type AcquireOptions, RateLimiter, type RateLimiterOptions } from '@millrace/limiter';
import { afterAll, beforeAll } from 'vitest';
import { type BadCall, describeBadCalls } from './bad-call.js';
import { type BadInputWorld, limits, openBadInputWorld } from './bad-input-world.js';

type Call = BadCall<BadInputWorld>;

let world: BadInputWorld;
let billed: RateLimiter;
beforeAll(async () => {
  world = await openBadInputWorld();
  billed = await RateLimiter.open({ table: world.table.table, ...world.table.connection, billing: { resources: 'all' } });
});
afterAll(async () => {
  await billed.close();
  await world.close();
});

const opening = (title: string, billing: unknown, says: readonly string[]): Call => ({
  title,
  call: ({ table }) => RateLimiter.open({ table: table.table, ...table.connection, billing } as unknown as RateLimiterOptions),
  says,
});

describeBadCalls('options of billing that are refused', () => world, [
  opening('true', true, ['option "billing"', 'an object', 'got true']),
  opening('null', null, ['option "billing"', 'got null']),
  opening('no resources', {}, ['option "billing.resources"', '"all" or an array', 'got undefined']),
  opening('an empty list of resources', { resources: [] }, ['option "billing.resources"', '"all" or an array']),
  opening('a resource that is not in a list', { resources: 'gpt-4' }, ['option "billing.resources"', 'got "gpt-4"']),
  opening('a resource without a name', { resources: [''] }, ['resource', 'at least one character']),
  opening('a key that nobody reads', { resources: 'all', flushon: [] }, ['option "billing" key', 'flushOn', 'got "flushon"']),
  opening('a retention of a day', { resources: 'all', retentionDays: 1 }, ['option "billing.retentionDays"', 'from 2', 'got 1']),
  opening('room for nothing', { resources: 'all', maxPending: 0 }, ['option "billing.maxPending"', 'got 0']),
  opening('a delay below 0', { resources: 'all', maxDelayMs: -1 }, ['option "billing.maxDelayMs"', 'got -1']),
  opening('no time to flush', { resources: 'all', flushDeadlineMs: 0 }, ['option "billing.flushDeadlineMs"', 'got 0']),
  opening('a signal that is not in a list', { resources: 'all', flushOn: 'SIGTERM' }, ['option "billing.flushOn"', 'got "SIGTERM"']),
  opening('a signal that nobody can catch', { resources: 'all', flushOn: ['SIGTERM', 'SIGKILL'] }, [
    'option "billing.flushOn"',
    'SIGHUP, got "SIGKILL"',
  ]),
]);

const acquiring = (title: string, options: object, says: readonly string[]): Call => ({
  title,
  call: () => billed.acquire('child', 'api', { rpm: 1 }, { limits, ...options } as AcquireOptions),
  says,
});
const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

describeBadCalls('what cannot be noted of a lease', () => world, [
  acquiring('a text', { meta: 'gpt-4' }, ['option "meta"', 'an object', 'got "gpt-4"']),
  acquiring('a list', { meta: ['gpt-4'] }, ['option "meta"', 'an object']),
  acquiring('null', { meta: null }, ['option "meta"', 'got null']),
  acquiring('an instance of a class', { meta: new Map() }, ['option "meta"', 'an object']),
  acquiring('a date', { meta: { at: new Date(0) } }, ['option "meta", "at",', 'a value of JSON']),
  acquiring('undefined', { meta: { at: undefined } }, ['option "meta", "at",', 'got undefined']),
  acquiring('a number that JSON has not', { meta: { ratio: Number.NaN } }, ['option "meta", "ratio",', 'got NaN']),
  acquiring('a bigint', { meta: { list: [1n] } }, ['option "meta", "list",', 'got 1n']),
  acquiring('a function', { meta: { call: () => 1 } }, ['option "meta", "call",', 'a function']),
  acquiring('what holds itself', { meta: cyclic }, ['option "meta", "self",', 'at most 5 levels']),
  acquiring('too many names', { meta: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`n${index}`, 1])) }, [
    'option "meta"',
    'at most 20 names',
  ]),
  acquiring('too many bytes', { meta: { text: 'ü'.repeat(510) } }, ['option "meta"', 'at most 1024 bytes', '1031 bytes']),
  acquiring('an idempotency key that is a number', { idempotencyKey: 7 }, ['idempotencyKey', 'got 7']),
  acquiring('an empty idempotency key', { idempotencyKey: '' }, ['idempotencyKey', 'at least one character']),
  acquiring('an idempotency key that is too long', { idempotencyKey: 'x'.repeat(257) }, ['idempotencyKey', '256 bytes']),
  acquiring('an idempotency key with a line break', { idempotencyKey: 'a\nb' }, ['idempotencyKey', 'printable']),
]);

const RANGE = { entity: 'child', resource: 'api', from: new Date(0), to: new Date(1) };

describeBadCalls('questions about usage events that are refused', () => world, [
  { title: 'none', call: () => billed.usage.events(undefined as never), says: ['options', 'an object'] },
  {
    title: 'a key that nobody reads',
    call: () => billed.usage.events({ ...RANGE, type: 'hour' } as never),
    says: ['options key', '"type"'],
  },
  { title: 'no resource', call: () => billed.usage.events({ ...RANGE, resource: undefined as never }), says: ['resource', 'undefined'] },
  { title: 'no end', call: () => billed.usage.events({ ...RANGE, to: undefined as never }), says: ['option "to"', 'a date'] },
  { title: 'no order', call: () => billed.usage.events({ ...RANGE, order: 'up' as never }), says: ['option "order"', '"up"'] },
  { title: 'an empty page', call: () => billed.usage.events({ ...RANGE, pageSize: 0 }), says: ['option "pageSize"', 'got 0'] },
  {
    title: 'an event without its key',
    call: () => billed.usage.findEvent({ entity: 'child', resource: 'api' } as never),
    says: ['idempotencyKey', 'undefined'],
  },
  {
    title: 'a source that is none',
    call: () => billed.usage.snapshots({ ...RANGE, type: 'hour', source: 'meters' as never }),
    says: ['option "source"', 'buckets, events', '"meters"'],
  },
  {
    title: 'a verification of all events',
    call: () => billed.usage.verify({ source: 'events' }),
    says: ['option "entity"', 'windows of events', 'undefined'],
  },
]);
