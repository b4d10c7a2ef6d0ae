import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FetchParts, fetchEngine } from './fetch-engine.js';

const wanted = { packageName: '@dynoxide/plan9-mips', version: '1.2.1', programFile: 'dynoxide', env: {} };
const path = (): string => join(cacheFolder, 'dynoxide-plan9-mips-1.2.1', 'dynoxide');
let cacheFolder: string;
let said: string[];

beforeEach(async () => {
  cacheFolder = await mkdtemp(join(tmpdir(), 'millrace-fetch-test-'));
  said = [];
});
afterEach(() => rm(cacheFolder, { recursive: true, force: true }));

function parts(install: FetchParts['install']): FetchParts {
  return { cacheFolder, install, say: (line) => said.push(line) };
}

/** What npm would leave behind. */
async function install(folder: string): Promise<void> {
  const packageFolder = join(folder, 'node_modules', '@dynoxide', 'plan9-mips');
  await mkdir(packageFolder, { recursive: true });
  await writeFile(join(packageFolder, 'dynoxide'), folder);
}

describe('fetching an engine', () => {
  it('asks npm for the exact version in a folder inside the cache, says so, and keeps the package', async () => {
    const asked: string[] = [];

    const fetched = await fetchEngine(
      wanted,
      parts(async (folder, spec) => {
        asked.push(spec, folder);
        await install(folder);
      }),
    );

    expect(fetched).toEqual({ path: path() });
    expect(asked).toEqual(['@dynoxide/plan9-mips@1.2.1', expect.stringContaining(cacheFolder)]);
    expect(said).toEqual([expect.stringContaining('fetching @dynoxide/plan9-mips@1.2.1')]);
    expect(await readdir(cacheFolder)).toEqual(['dynoxide-plan9-mips-1.2.1']);
  });

  it('asks npm only once', async () => {
    await fetchEngine(wanted, parts(install));

    const again = await fetchEngine(
      wanted,
      parts(() => Promise.reject(new Error('asked twice'))),
    );

    expect(again).toEqual({ path: path() });
    expect(said).toHaveLength(1);
  });

  it('leaves one whole package when two fetch at once', async () => {
    let arrived = 0;
    let bothThere = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      bothThere = resolve;
    });
    const together = parts(async (folder) => {
      await install(folder);
      arrived += 1;
      if (arrived === 2) bothThere();
      await both;
    });

    const fetched = await Promise.all([fetchEngine(wanted, together), fetchEngine(wanted, together)]);

    expect(fetched).toEqual([{ path: path() }, { path: path() }]);
    expect(await readFile(path(), 'utf8')).toContain('fetching-');
    expect(await readdir(cacheFolder)).toEqual(['dynoxide-plan9-mips-1.2.1']);
  });

  it('gives the words of npm when it fails, and leaves nothing', async () => {
    const failing = parts(() => Promise.reject(new Error('npm ended with 1: 404')));

    expect(await fetchEngine(wanted, failing)).toEqual({ reason: 'npm ended with 1: 404' });
    expect(await readdir(cacheFolder)).toEqual([]);
  });

  it('gives a reason when there is no place to keep it', async () => {
    expect(await fetchEngine(wanted, { ...parts(install), cacheFolder: undefined })).toEqual({
      reason: expect.stringContaining('node_modules'),
    });
  });
});
