import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleOptions } from '@millrace/aggregator-lambda/bundle';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildAssets } from '../build/assets.mjs';
import { newStack } from './synth.js';

const root = join(__dirname, '../../..');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-assets-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Another checkout of the same sources, installed and compiled, that lies elsewhere and deeper: as much of it as is bundled. */
async function checkout(): Promise<string> {
  const place = join(folder, 'some/other/place');
  const entry = join(root, 'lambdas/aggregator/dist/lambda.js');
  const { metafile } = await build({ ...bundleOptions(entry), absWorkingDir: root, write: false, metafile: true });
  const stored = Object.keys(metafile.inputs).flatMap((input) => /^node_modules\/\.pnpm\/[^/]+/.exec(input) ?? []);
  const own = ['lambdas/bundling', 'lambdas/aggregator', 'packages/core', 'packages/ledger', 'packages/limiter'];
  const parts = own.flatMap((name) => ['dist', 'node_modules', 'package.json'].map((part) => join(name, part)));
  for (const part of new Set([...stored, ...parts])) {
    if (existsSync(join(root, part))) await cp(join(root, part), join(place, part), { recursive: true, verbatimSymlinks: true });
  }
  return place;
}

describe('the assets', () => {
  it('are the same for two checkouts of the same sources, and so are their hashes', async () => {
    const [here, there] = [join(folder, 'here'), join(folder, 'there')];

    await buildAssets(join(root, 'lambdas'), here);
    await buildAssets(join(await checkout(), 'lambdas'), there);

    const stack = newStack();
    const hashOf = (path: string) => new Asset(stack, path.slice(-5), { path: join(path, 'aggregator') }).assetHash;
    expect(hashOf(there)).toBe(hashOf(here));
    expect((await readFile(join(here, 'aggregator/index.js'))).equals(await readFile(join(there, 'aggregator/index.js')))).toBe(true);
  });

  it('have a folder for each function that says how it is bundled, with one file in it', async () => {
    const bundled: string[] = [];
    for (const name of await readdir(join(root, 'lambdas'))) {
      const manifest = await readFile(join(root, 'lambdas', name, 'package.json'), 'utf8').catch(() => '{}');
      if (JSON.parse(manifest).exports?.['./bundle'] !== undefined) bundled.push(name);
    }
    await buildAssets(join(root, 'lambdas'), join(folder, 'all'));

    expect(await readdir(join(folder, 'all'))).toEqual(bundled.sort());
    for (const name of bundled) expect(await readdir(join(folder, 'all', name))).toEqual(['index.js']);
  });

  it('are not built of what is not compiled: that is told', async () => {
    const place = join(folder, 'fresh/lambdas');
    await cp(join(root, 'lambdas/aggregator/package.json'), join(place, 'aggregator/package.json'));

    await expect(buildAssets(place, join(folder, 'none'))).rejects.toThrow('lambdas/aggregator is not compiled: run tsc -b first');
  });
});
