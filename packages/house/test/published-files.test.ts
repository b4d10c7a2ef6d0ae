import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const FILES = /(\.m?js|\.d\.ts|\.schema\.json|tool\/go\.(mod|sum))$|^(package\.json|README\.md|LICENSE)$/;

/** The folders of the packages that are published. */
async function published(): Promise<readonly string[]> {
  const folders = ['load', ...(await readdir(join(root, 'packages'))).map((name) => `packages/${name}`)];
  const manifests = await Promise.all(folders.map((folder) => readFile(join(root, folder, 'package.json'), 'utf8')));
  return folders.filter((_, index) => JSON.parse(manifests[index] ?? '').private !== true);
}

describe('the packages as they are published', () => {
  it('hold code and its declarations, and nothing of how they were built', async () => {
    const folders = await published();
    const packed = await Promise.all(
      folders.map(async (folder) => {
        const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'], {
          cwd: join(root, folder),
          maxBuffer: 50_000_000,
        });
        const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
        return { folder, paths: files.map(({ path }) => path) };
      }),
    );

    expect(folders.length).toBeGreaterThan(5);
    for (const { folder, paths } of packed) {
      expect(paths, `${folder} must be built`).toContainEqual(expect.stringMatching(/^dist\/.*\.js$/));
      expect(
        paths.filter((path) => !FILES.test(path)),
        folder,
      ).toEqual([]);
    }
  });
});
