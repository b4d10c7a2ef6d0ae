import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Said here: esbuild would look for a tsconfig.json in the folders above, and what it finds there changes the bytes. */
const tsconfigRaw = { compilerOptions: { alwaysStrict: true } };

/**
 * Writes <out>/<name>/index.js for each function of this repository that says how it is bundled, from what tsc made of
 * it. The same sources give the same bytes, wherever the repository lies: the name of an asset is a hash of them.
 *
 * @param {string} lambdas The folder of the functions' packages.
 * @param {string} out Where the assets go.
 */
export async function buildAssets(lambdas, out) {
  for (const name of readdirSync(lambdas).sort()) {
    const options = bundleOptionsOf(join(lambdas, name));
    if (options === undefined) continue;
    if (!existsSync(options)) throw new Error(`${basename(lambdas)}/${name} is not compiled: run tsc -b first`);
    const { bundleOptions } = await import(pathToFileURL(options).href);
    await build({ ...bundleOptions(join(lambdas, name, 'dist/lambda.js')), tsconfigRaw, outfile: join(out, name, 'index.js') });
  }
}

/**
 * The module behind a function's `./bundle`, or undefined where it has none.
 *
 * @param {string} folder The function's package.
 */
function bundleOptionsOf(folder) {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return undefined;
  const { exports = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
  const options = exports['./bundle']?.default;
  return options === undefined ? undefined : join(folder, options);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  /** @param {string} path */
  const here = (path) => fileURLToPath(new URL(path, import.meta.url));
  await buildAssets(here('../../../lambdas'), here('../assets'));
}
