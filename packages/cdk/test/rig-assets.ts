import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder like that of `pnpm load assets`, with next to nothing in it. It is gone when this process ends. */
export function rigAssets(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-rig-'));
  const files = [
    ['layer/bin', 'k6'],
    ['function', 'index.mjs'],
    ['image', 'Dockerfile'],
  ] as const;
  for (const [within, file] of files) {
    mkdirSync(join(folder, within), { recursive: true });
    writeFileSync(join(folder, within, file), within);
  }
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
