import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package: what is built lies deeper in it than its source. */
export const PACKAGE_ROOT = rootFrom(dirname(fileURLToPath(import.meta.url)));

function rootFrom(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error('no package.json above the load package');
  return rootFrom(above);
}
