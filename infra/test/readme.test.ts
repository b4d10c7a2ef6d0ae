import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, ROOT } from './command-line.js';
import { deployed, roleSession } from './deployed.js';

describe("the commands of the app's README", () => {
  it('work on the deployed table, in the role that it names', async () => {
    const text = await readFile(join(ROOT, 'infra/README.md'), 'utf8');
    const block = text.split('```sh').find((part) => part.includes('export MILLRACE_TABLE=')) ?? '';
    const lines = [...block.matchAll(/^pnpm millrace ([^#\n]*)/gm)].map(([, options = '']) => options.trim().split(/\s+/));
    const { accessKeyId, secretAccessKey, sessionToken } = await roleSession('Admin');
    const environment = {
      MILLRACE_TABLE: deployed.table,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
    };

    expect(lines.length).toBeGreaterThan(3);
    for (const options of lines) {
      const { code, said } = await command(process.execPath, ['packages/cli/dist/main.js', ...options], environment);
      expect(code, `millrace ${options.join(' ')}: ${said}`).toBe(0);
    }
  });
});
