import { describe, expect, it } from 'vitest';
import { findingText } from './finding-text.js';

const FOUND = {
  namespace: 'acme',
  finding: {
    kind: 'gap',
    entity: 'key-1',
    resource: 'openai/gpt-4',
    limit: 'tpm',
    type: 'hour',
    shard: 0,
    window: new Date('2027-05-12T12:00:00Z'),
    used: 7,
    returned: 2,
    net: 5,
  },
} as const;

describe('what is said of a finding', () => {
  it('is what is missing, where, and what books it', () => {
    expect(findingText(FOUND)).toBe(
      '5 of "tpm" are missing in the hour of 2027-05-12T12:00:00.000Z: put back what is in the failure destination, ' +
        'then "millrace usage repair -n acme --entity key-1 --resource openai/gpt-4" books it',
    );
  });

  it('is another thing of what is counted twice, and of what nothing books', () => {
    const of = (kind: 'overlap' | 'sum', net: number) => findingText({ ...FOUND, finding: { ...FOUND.finding, kind, net } });

    expect(of('overlap', -5)).toMatch(/^5 of "tpm" are counted twice, up to the hour of .*millrace usage repair/);
    expect(of('sum', 3)).toMatch(/^the hours of "tpm" do not add up .* which has 3 more: see "millrace usage verify/);
  });

  it('holds names as a shell takes them', () => {
    const text = findingText({ namespace: 'default', finding: { ...FOUND.finding, entity: "key of $(id) & o'hara" } });

    expect(text).toContain(String.raw`--entity 'key of $(id) & o'\''hara' --resource`);
  });
});
