import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { EngineSources } from './engine-sources.js';
import { dynoxideVersion, findAnyEngine, findEngine } from './find-engine.js';

/** A machine on which nothing is found; a test adds to it. It keeps what npm was asked for. */
function bareMachine(parts: Partial<EngineSources> = {}): EngineSources & { readonly fetched: string[] } {
  const fetched: string[] = [];
  return {
    env: {},
    platform: 'plan9-mips',
    existingFile: async () => undefined,
    installedFile: async () => undefined,
    fetchedFile: async (packageName, version) => {
      fetched.push(`${packageName}@${version}`);
      return { reason: 'npm ended with 1: 404' };
    },
    javaRuns: async () => false,
    fetched,
    ...parts,
  };
}

const everyFile: Pick<EngineSources, 'existingFile' | 'installedFile'> = {
  existingFile: async (path) => path,
  installedFile: async (packageName, program) => `/installed/${packageName}/${program}`,
};

describe('the search for an engine', () => {
  it('takes the binary that DYNOXIDE_BINARY names before the installed one', async () => {
    const search = await findAnyEngine(bareMachine({ ...everyFile, env: { DYNOXIDE_BINARY: '/mine/dynoxide' } }));

    expect(search.found).toEqual({ name: 'dynoxide', path: '/mine/dynoxide' });
  });

  it('takes the installed dynoxide before it asks npm', async () => {
    const machine = bareMachine(everyFile);

    const search = await findAnyEngine(machine);

    expect(search.found).toEqual({ name: 'dynoxide', path: '/installed/@dynoxide/plan9-mips/dynoxide' });
    expect(machine.fetched).toEqual([]);
  });

  it('fetches dynoxide before it takes ExtendDB', async () => {
    const machine = bareMachine({
      installedFile: async (packageName) => (packageName.startsWith('@extenddb/') ? '/installed/extenddb' : undefined),
      fetchedFile: async () => ({ path: '/cache/dynoxide' }),
    });

    expect((await findAnyEngine(machine)).found).toEqual({ name: 'dynoxide', path: '/cache/dynoxide' });
  });

  it('goes on to ExtendDB when npm has no dynoxide for the platform', async () => {
    const machine = bareMachine({
      installedFile: async (packageName) => (packageName.startsWith('@extenddb/') ? '/installed/extenddb' : undefined),
    });

    const search = await findAnyEngine(machine);

    expect(search.found).toEqual({ name: 'extenddb', path: '/installed/extenddb' });
    expect(machine.fetched).toEqual([`@dynoxide/plan9-mips@${dynoxideVersion}`]);
  });

  it('names every place it looked and what to do when there is nothing', async () => {
    const { reason } = await findAnyEngine(bareMachine());

    expect(reason).toMatchInlineSnapshot(`
      "no DynamoDB engine for plan9-mips. Looked for, in this order:
        DYNAMODB_ENDPOINT: not set
        DYNOXIDE_BINARY: not set
        @dynoxide/plan9-mips: not installed
        @dynoxide/plan9-mips@1.2.1 by npm: npm ended with 1: 404
        @extenddb/plan9-mips: not installed
      Do one of these: set DYNAMODB_ENDPOINT to the address of an engine that runs; set DYNOXIDE_BINARY to a dynoxide binary (cargo install dynoxide-rs builds one); install again with optional dependencies and the network."
    `);
  });

  it('tells of a wrong DYNOXIDE_BINARY instead of passing over it', async () => {
    const machine = bareMachine({ ...everyFile, existingFile: async () => undefined, env: { DYNOXIDE_BINARY: '/gone' } });

    expect((await findAnyEngine(machine)).reason).toContain('DYNOXIDE_BINARY: /gone is no file');
    expect(machine.fetched).toEqual([]);
  });

  it('takes an empty variable for one that is not set', async () => {
    const search = await findAnyEngine(bareMachine({ ...everyFile, env: { DYNOXIDE_BINARY: '' } }));

    expect(search.found?.path).toBe('/installed/@dynoxide/plan9-mips/dynoxide');
  });

  it('takes DynamoDB Local only by its name, with a jar and a Java that works', async () => {
    const env = { DYNAMODB_LOCAL_JAR: '/local/DynamoDBLocal.jar' };
    const jarOnly: Partial<EngineSources> = { env, existingFile: async (path) => path };

    expect((await findEngine('dynamodb-local', bareMachine())).reason).toContain('DYNAMODB_LOCAL_JAR: not set');
    expect((await findEngine('dynamodb-local', bareMachine({ env }))).reason).toContain('is no file');
    expect((await findEngine('dynamodb-local', bareMachine(jarOnly))).reason).toContain('java -version');
    expect((await findEngine('dynamodb-local', bareMachine({ ...jarOnly, javaRuns: async () => true }))).found).toEqual({
      name: 'dynamodb-local',
      path: '/local/DynamoDBLocal.jar',
    });
    expect((await findAnyEngine(bareMachine({ ...jarOnly, javaRuns: async () => true }))).found).toBeUndefined();
  });

  it('fetches the very release that package.json installs', async () => {
    const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));

    expect(manifest.optionalDependencies['@dynoxide/linux-x64']).toBe(dynoxideVersion);
  });
});
