import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';

const TIMEOUT_MS = 60_000;

/**
 * What must hold of every function's bundle: its size, the same bytes each time, and no trace of where it was built.
 * Called within a `describe`; gives the bundle for tests of its own.
 */
export function describeBundle(options: BuildOptions, entry: string, mostBytes: number): () => Uint8Array {
  const bundled = async (): Promise<Uint8Array> =>
    (await build({ ...options, write: false })).outputFiles?.[0]?.contents ?? new Uint8Array();
  let bundle: Uint8Array;
  beforeAll(async () => {
    bundle = await bundled();
  });

  it(`has at most ${mostBytes / 1_000} kB, with the SDK in it`, () => {
    console.log(`${bundle.length} bytes`);
    expect(bundle.length).toBeLessThanOrEqual(mostBytes);
  });

  it('is built twice to the same bytes', async () => {
    expect(Buffer.compare(await bundled(), bundle)).toBe(0);
  });

  it('holds no path of the machine that built it', () => {
    expect(Buffer.from(bundle).toString('utf8')).not.toContain(dirname(entry));
  });
  return () => bundle;
}

/** Runs a script beside a bundle that is `./index.cjs`, in a folder with nothing else; gives the lines that it wrote. */
export async function runBundle(bundle: Uint8Array, script: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bundle-'));
  try {
    await writeFile(join(folder, 'index.cjs'), bundle);
    const said = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, ['-e', script], { cwd: folder, env, timeout: TIMEOUT_MS }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stderr}`)),
      );
    });
    return said.split('\n');
  } finally {
    await rm(folder, { recursive: true });
  }
}
