import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPrompts } from './prompts.js';

const bounds = { maxPackages: 10, maxPrompts: 10, minCharacters: 5, maxCharacters: 100 };
let store: string;

beforeEach(async () => {
  store = await mkdtemp(join(tmpdir(), 'millrace-prompts-test-'));
});
afterEach(() => rm(store, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(store, path)), { recursive: true });
  await writeFile(join(store, path), text);
}

describe('finding prompts', () => {
  it('reads the READMEs of packages with and without a scope, in the order of their paths', async () => {
    await write('zod@4.0.0/node_modules/zod/README.md', 'all about zod');
    await write('@aws+core@1.0.0/node_modules/@aws/core/readme.markdown', 'all about core');

    expect(await findPrompts(store, bounds)).toEqual([
      { source: '@aws+core@1.0.0/node_modules/@aws/core/readme.markdown', text: 'all about core' },
      { source: 'zod@4.0.0/node_modules/zod/README.md', text: 'all about zod' },
    ]);
  });

  it('follows no link to another package, and takes no text twice', async () => {
    await write('one@1.0.0/node_modules/one/README.md', 'all about one');
    await write('one@2.0.0/node_modules/one/README.md', 'all about one');
    await symlink(join(store, 'one@1.0.0/node_modules/one'), join(store, 'one@2.0.0/node_modules/linked'));

    expect(await findPrompts(store, bounds)).toHaveLength(1);
  });

  it('leaves out what is too short, and cuts what is too long at the end of a line', async () => {
    await write('short@1.0.0/node_modules/short/README.md', 'hm');
    await write('long@1.0.0/node_modules/long/README.md', `a first line\na second line\n${'x'.repeat(200)}`);

    expect((await findPrompts(store, bounds)).map(({ text }) => text)).toEqual(['a first line\na second line']);
  });

  it('stops at as many packages and prompts as it may have', async () => {
    for (const name of ['a', 'b', 'c']) await write(`${name}@1.0.0/node_modules/${name}/README.md`, `all about ${name}`);

    expect(await findPrompts(store, { ...bounds, maxPackages: 2 })).toHaveLength(2);
    expect(await findPrompts(store, { ...bounds, maxPrompts: 1 })).toHaveLength(1);
  });

  it('says what to do where there is no README', async () => {
    await expect(findPrompts(join(store, 'absent'), bounds)).rejects.toThrow(/no README .*absent; run pnpm install/);
  });
});
