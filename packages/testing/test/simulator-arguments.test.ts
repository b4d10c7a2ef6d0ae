import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const run = (program: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [join(__dirname, '../dist/simulator', program), ...args], { encoding: 'utf8' });

describe('the commands of the simulator', () => {
  it.each([
    ['main.js', 'pnpm sim '],
    ['prefetch-main.js', 'pnpm sim:prefetch '],
  ])('%s says what is wrong and how it is called, without a trace', (program, name) => {
    for (const args of [['--nope'], ['--seeds', 'many'], ['--', 'five']]) {
      const { status, stderr } = run(program, ...args);

      expect(status).toBe(2);
      expect(stderr).toContain(`\nusage: ${name}`);
      expect(stderr).not.toMatch(/ {4}at /);
    }
    expect(run(program, '--help')).toMatchObject({ status: 0, stdout: expect.stringContaining(`usage: ${name}`), stderr: '' });
  });
});
