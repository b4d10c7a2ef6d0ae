/** A manifest with one mistake, and what is said about it. Both the parser and the schema must refuse it. */
export interface BadManifest {
  readonly what: string;
  readonly value: unknown;
  readonly says: string;
}

const resources = (limits: unknown): unknown => ({ resources: { api: limits } });
const limit = (parts: Record<string, unknown>): unknown => resources([{ name: 'rpm', refill: 5, per: 'min', ...parts }]);

export const BAD_MANIFESTS: readonly BadManifest[] = [
  { what: 'nothing', value: null, says: 'must be an object with limits, got null' },
  { what: 'a list', value: [], says: 'must be an object with limits, got an array of 0' },
  { what: 'an unknown key', value: { limits: {} }, says: 'limits: unknown key; known are $schema, name, namespace, system' },
  { what: 'an empty name', value: { name: '' }, says: 'name: manifest must be a string of at least one character, got ""' },
  { what: 'a name that is a number', value: { name: 5 }, says: 'name: manifest must be a string of at least one character, got 5' },
  { what: 'a namespace that cannot be printed', value: { namespace: 'a\u0000' }, says: 'namespace: namespace must be printable' },
  { what: 'an empty system', value: { system: {} }, says: 'system: must have limits, onUnavailable or both' },
  { what: 'no system', value: { system: null }, says: 'system: must be an object with limits, onUnavailable or both, got null' },
  {
    what: 'an unknown policy',
    value: { system: { onUnavailable: 'deny' } },
    says: 'system.onUnavailable: must be block or allow, got "deny"',
  },
  {
    what: 'a key of the peer',
    value: { system: { on_unavailable: 'block', limits: ['a:1/s'] } },
    says: 'system.on_unavailable: unknown key',
  },
  { what: 'no resources', value: { resources: null }, says: 'resources: must be an object of resources and their limits, got null' },
  {
    what: 'a resource without a name',
    value: { resources: { '': ['a:1/s'] } },
    says: 'resources[""]: resource must be a string of at least',
  },
  { what: 'a name that is too long', value: { resources: { ['x'.repeat(257)]: ['a:1/s'] } }, says: 'resource must be at most 256 bytes' },
  {
    what: 'limits that are one limit',
    value: resources('rpm:5/min'),
    says: 'resources.api: must be a list of 1 to 10 limits, got "rpm:5/min"',
  },
  { what: 'limits as an object', value: resources({ rpm: '5/min' }), says: 'must be a list of 1 to 10 limits, got an object with rpm' },
  { what: 'no limit', value: resources([]), says: 'must be a list of 1 to 10 limits, got an array of 0' },
  {
    what: 'eleven limits',
    value: resources(Array.from({ length: 11 }, (_, index) => `l${index}:1/s`)),
    says: 'must be a list of 1 to 10 limits, got an array of 11',
  },
  { what: 'the same limit twice', value: resources(['a:1/s', 'a:1/s']), says: 'resources.api[1]: limit "a" is given twice' },
  { what: 'a limit of no form', value: resources([500]), says: 'resources.api[0]: must be a limit: its short form' },
  { what: 'a short form without a period', value: resources(['rpm:500']), says: 'limit must be written as name:tokens/period' },
  { what: 'a short form of no tokens', value: resources(['rpm:0/min']), says: 'limit "rpm": refill must be a whole number from 1' },
  { what: 'a short form of an unknown period', value: resources(['rpm:5/week']), says: 'limit must be written as name:tokens/period' },
  { what: 'a limit without a name', value: resources([{ refill: 5, per: 'min' }]), says: 'limit name must be a letter followed by' },
  {
    what: 'a limit without tokens',
    value: resources([{ name: 'rpm', per: 'min' }]),
    says: 'limit "rpm": refill must be a whole number from 1',
  },
  { what: 'a limit without a period', value: resources([{ name: 'rpm', refill: 5 }]), says: 'a limit needs its period' },
  { what: 'two periods', value: limit({ periodMs: 60_000 }), says: 'a limit has either per or periodMs, not both' },
  {
    what: 'an unknown period',
    value: limit({ per: 'week' }),
    says: 'resources.api[0].per: must be one of sec, min, hour, day, got "week"',
  },
  { what: 'tokens as text', value: limit({ refill: '5' }), says: 'api[0].refill: limit "rpm": refill must be a whole number from 1 to' },
  { what: 'a fraction of tokens', value: limit({ refill: 1.5 }), says: 'got 1.5' },
  { what: 'a negative capacity', value: limit({ capacity: -1 }), says: 'api[0].capacity: limit "rpm": capacity must be a whole number' },
  { what: 'a reserve that is too large', value: limit({ reserve: 0.6 }), says: 'reserve must be a share from 0 to 0.5, got 0.6' },
  { what: 'a word of the peer', value: limit({ burst: 10 }), says: 'resources.api[0].burst: unknown key; known are name, refill' },
  {
    what: 'an entity that is a list of limits',
    value: { entities: { a: ['rpm:5/min'] } },
    says: 'entities.a: must be an object with default',
  },
  { what: 'an empty entity', value: { entities: { a: {} } }, says: 'entities.a: must have default, resources or both' },
  { what: 'a mode of an entity', value: { entities: { a: { default: ['a:1/s'], mode: 'shadow' } } }, says: 'entities.a.mode: unknown key' },
  {
    what: 'a mistake deep in an entity',
    value: { entities: { 'a.b': { resources: { c: ['x'] } } } },
    says: 'entities["a.b"].resources.c[0]: limit',
  },
];
