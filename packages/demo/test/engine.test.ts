import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Limit, RateLimiter } from '@millrace/limiter';
import { afterEach, describe, expect, it, vi } from 'vitest';

const MAIN = fileURLToPath(new URL('../dist/engine/main.js', import.meta.url));
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Starts the built program; `said` is what it has written so far, on either stream. */
function engine(...args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  const parts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => parts.push(String(part)));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, ended, said: () => parts.join('') };
}

/** The variables that the shell is told to export. */
const exportsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]));

describe('pnpm engine', () => {
  it('answers with a table, books its ledger, and is gone after Ctrl-C', async () => {
    const { child, ended, said } = engine('--port', '0', '--table', 'mine');
    await vi.waitFor(() => expect(said()).toContain('Ctrl-C ends it'), { timeout: 60_000 });
    const shell = exportsIn(said());
    const endpoint = shell['AWS_ENDPOINT_URL_DYNAMODB'] ?? '';
    const credentials = { accessKeyId: shell['AWS_ACCESS_KEY_ID'] ?? '', secretAccessKey: shell['AWS_SECRET_ACCESS_KEY'] ?? '' };
    expect(shell['MILLRACE_TABLE']).toBe('mine');

    const limiter = await RateLimiter.open({ table: 'mine', endpoint, region: shell['AWS_REGION'] ?? '', credentials });
    await limiter.limits.setResource('gpt-4', [Limit.perMinute('tpm', 10_000)]);
    await limiter.acquire('key-1', 'gpt-4', { tpm: 250 });
    await vi.waitFor(
      async () => {
        const span = { from: new Date('2026-01-01'), to: new Date(Date.now() + 3_600_000) };
        const { resources } = await limiter.usage.summary({ entity: 'key-1', ...span });
        expect(resources['gpt-4']?.['tpm']?.net).toBe(250);
      },
      { timeout: 60_000, interval: 200 },
    );
    await limiter.close();

    child.kill('SIGINT');
    expect(await ended).toBe(0);
    await expect(fetch(endpoint)).rejects.toThrow();
  });

  it('says what is wrong with its arguments, with its usage', async () => {
    const { ended, said } = engine('--nope');

    expect(await ended).toBe(2);
    expect(said()).toMatch(/^engine: .*--nope.*\n\nUsage: engine/);
  });
});
