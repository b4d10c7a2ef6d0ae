import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** A text to be summarised, and the file that it comes from. */
export interface Prompt {
  readonly source: string;
  readonly text: string;
}

/** Where to stop. */
export interface PromptBounds {
  readonly maxPackages: number;
  readonly maxPrompts: number;
  /** Shorter texts are left out, longer ones cut at a line's end. */
  readonly minCharacters: number;
  readonly maxCharacters: number;
}

const BOUNDS: PromptBounds = { maxPackages: 500, maxPrompts: 150, minCharacters: 400, maxCharacters: 6_000 };
const README = /^readme(\.md|\.markdown)?$/i;

/** The READMEs of the packages in pnpm's store folder (`node_modules/.pnpm`), each text once, in the order of their paths. */
export async function findPrompts(storeFolder: string, bounds: PromptBounds = BOUNDS): Promise<readonly Prompt[]> {
  const byText = new Map<string, Prompt>();
  for (const packageFolder of await packageFolders(storeFolder, bounds.maxPackages)) {
    if (byText.size >= bounds.maxPrompts) break;
    const readme = (await readdir(packageFolder)).sort().find((name) => README.test(name));
    if (readme === undefined) continue;
    const path = join(packageFolder, readme);
    const text = cut(await readFile(path, 'utf8'), bounds.maxCharacters);
    if (text.length >= bounds.minCharacters && !byText.has(text)) byText.set(text, { source: relative(storeFolder, path), text });
  }
  if (byText.size === 0) throw new Error(`no README to read under ${storeFolder}; run pnpm install there`);
  return [...byText.values()];
}

/** Folders of packages; what is linked in beside them are other packages' folders, found on their own. */
async function packageFolders(storeFolder: string, maxPackages: number): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const entry of (await subfolders(storeFolder)).slice(0, maxPackages)) {
    for (const folder of await subfolders(join(entry, 'node_modules'))) {
      if (/[\\/]@[^\\/]+$/.test(folder)) folders.push(...(await subfolders(folder)));
      else folders.push(folder);
    }
  }
  return folders;
}

async function subfolders(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name))
    .sort();
}

function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text.trim();
  const head = text.slice(0, maxCharacters);
  const lineEnd = head.lastIndexOf('\n');
  return (lineEnd > 0 ? head.slice(0, lineEnd) : head).trim();
}
