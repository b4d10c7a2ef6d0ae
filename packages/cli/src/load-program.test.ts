import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runLoad } from './load-program.js';
import { run } from './program.js';

function terminal() {
  const [out, err]: [string[], string[]] = [[], []];
  return {
    out: { write: (text: string) => out.push(text) },
    err: { write: (text: string) => err.push(text) },
    in: Readable.from([]),
    env: {},
    written: { out, err },
  };
}

describe('millrace load', () => {
  it('hands all that stands behind it to the load tests, and has their exit code', async () => {
    const here = terminal();

    expect(await run(['load', 'list', '--json'], here)).toBe(0);
    expect(JSON.parse(here.written.out.join(''))).toContainEqual(expect.objectContaining({ name: 'simple' }));
    expect(await run(['load', 'report', 'nothing'], here)).toBe(64);
    expect(here.written.err.join('')).toContain('hint: see millrace load --help');
  });

  it('says what to install where they are not there, and breaks where they are broken', async () => {
    const missing = Object.assign(new Error("Cannot find package '@millrace/load'"), { code: 'ERR_MODULE_NOT_FOUND' });

    await expect(runLoad(['list'], terminal(), () => Promise.reject(missing))).rejects.toMatchObject({
      message: 'millrace load needs the package @millrace/load, which is not installed',
      hint: 'npm install @millrace/load',
    });
    await expect(runLoad(['list'], terminal(), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('is the first word, as options before it are those of this program', async () => {
    const here = terminal();

    expect(await run(['--no-color', 'load', 'list'], here)).toBe(64);
    expect(here.written.err.join('')).toContain('options stand behind it');
  });
});
