import { describe, expect, it } from 'vitest';
import { enginesFrom, installedEngines } from './installed-engines.js';
import { launchEngine } from './launch-engine.js';

describe('the engines of this machine', () => {
  it('are all listed, each absent one with a reason of one line', async () => {
    const engines = await enginesFrom({
      env: {},
      platform: 'plan9-mips',
      existingFile: async () => undefined,
      installedFile: async (packageName) => (packageName === '@extenddb/plan9-mips' ? '/extenddb' : undefined),
      fetchedFile: async () => ({ reason: 'offline' }),
      javaRuns: async () => false,
    });

    expect(engines).toEqual([
      { name: 'dynoxide', available: false, reason: expect.stringMatching(/^DYNOXIDE_BINARY: not set; .*npm: offline$/) },
      { name: 'extenddb', available: true },
      { name: 'dynamodb-local', available: false, reason: expect.stringContaining('AWS account') },
    ]);
  });

  it('can each be launched by name when they are said to be available', { timeout: 60_000 }, async () => {
    for (const { name, available } of await installedEngines()) {
      if (!available) continue;
      await using engine = await launchEngine({ engine: name });

      expect(engine.name).toBe(name);
    }
  });
});
