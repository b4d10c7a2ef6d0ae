import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findK6 } from '../src/node/k6-binary.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-k6-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A program that says it is k6 of a version. */
async function impostor(version: string): Promise<string> {
  const path = join(folder, 'k6');
  await writeFile(path, `#!/bin/sh\necho "k6 ${version} (go1.26, linux/amd64)"\n`);
  await chmod(path, 0o755);
  return path;
}

const find = (env: NodeJS.ProcessEnv) => findK6({ ...process.env, ...env }, () => undefined);

describe.skipIf(process.platform === 'win32')('k6', () => {
  it('is the one that K6_BIN names', async () => {
    const path = await impostor('v2.10.1');

    expect(await find({ K6_BIN: path })).toEqual({ path, version: '2.10.1', from: 'K6_BIN' });
  });

  it.each(['v1.8.1', 'v2.1.9', 'two'])('that K6_BIN names and that is %s is refused, and none other is taken', async (version) => {
    await expect(find({ K6_BIN: await impostor(version) })).rejects.toMatchObject({ name: 'NoK6' });
  });

  it('of the PATH is taken where it is new enough', async () => {
    await impostor('v3.0.0');

    expect(await find({ K6_BIN: '', PATH: `${folder}${delimiter}${process.env['PATH']}` })).toEqual({
      path: 'k6',
      version: '3.0.0',
      from: 'PATH',
    });
  });
});
