import { describe, expect, it } from 'vitest';
import { environmentOf } from './environment.js';

describe('the environment', () => {
  it('needs no more than a table', () => {
    expect(environmentOf({ MILLRACE_TABLE: 'limits' })).toEqual({ table: 'limits', namespace: 'default', manifest: 'default' });
  });

  it('says which manifest of which namespace is compared', () => {
    const variables = { MILLRACE_TABLE: 'limits', MILLRACE_NAMESPACE: 'acme', MILLRACE_MANIFEST: 'tenants', AWS_REGION: 'eu-central-1' };
    expect(environmentOf(variables)).toEqual({ table: 'limits', namespace: 'acme', manifest: 'tenants' });
  });

  it.each([
    [{}, 'variable MILLRACE_TABLE must be the name of the table, got undefined'],
    [{ MILLRACE_TABLE: 'limits', MILLRACE_MANIFESTS: 'm' }, 'got "MILLRACE_MANIFESTS"'],
    [{ MILLRACE_TABLE: 'limits', MILLRACE_NAMESPACE: '\n' }, 'namespace must be printable'],
  ])('is refused by the name of what is wrong: %j', (variables, message) => {
    expect(() => environmentOf(variables)).toThrow(message);
  });
});
