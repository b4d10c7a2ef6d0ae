import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const TIMEOUT_MS = 60_000;

/** Where a Chromium is on the path; undefined where there is none. */
export function chromium(path = process.env['PATH'] ?? ''): string | undefined {
  const places = path.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Opens a page without a window, and says what the browser printed. It may load nothing but the file. */
export function runChromium(program: string, page: string, ...flags: readonly string[]): string {
  const alone = ['--headless', '--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND'];
  return execFileSync(program, [...alone, ...flags, pathToFileURL(page).href], {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 50_000_000,
  });
}
