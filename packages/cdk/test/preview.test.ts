import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PROGRAM = join(__dirname, '../build/preview.mjs');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-preview-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const preview = (...args: readonly string[]) =>
  spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8', env: { ...process.env, INIT_CWD: folder } });

describe('the preview of the dashboard', () => {
  it('is written where whoever calls it is, also after two dashes', () => {
    expect(preview('--', 'page.html')).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(folder)).toEqual(['page.html']);
  });

  it.each([[[]], [['--nope']], [['a', 'b', 'c']]])('says how it is called where it is given %j', (args) => {
    const { status, stderr } = preview(...args);

    expect(status).toBe(2);
    expect(stderr).toMatch(/^usage: .*page\.html \[picture\.png\]\n/);
    expect(stderr).not.toMatch(/ {4}at /);
  });
});
