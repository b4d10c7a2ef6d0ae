import { spawn } from 'node:child_process';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './command-line.js';

const EMULATOR = join(ROOT, 'infra/emulator');

it('the emulator is gone when whoever started it was killed', async () => {
  const started = spawn('node_modules/.bin/tsx', [join(EMULATOR, 'main.ts'), 'sleep', '60'], { cwd: ROOT, detached: true });
  let said = '';
  started.stderr.on('data', (part: Buffer) => {
    said += String(part);
  });
  await expect.poll(() => said, { timeout: 30_000, interval: 50 }).toMatch(/emulated at https:\/\/localhost:\d+/);
  const port = Number(/localhost:(\d+)/.exec(said)?.[1]);
  expect(await isOpen(port)).toBe(true);

  // The whole group, and the signal that no process can do anything about.
  process.kill(-(started.pid ?? 0), 'SIGKILL');

  await expect.poll(() => isOpen(port), { timeout: 10_000, interval: 50 }).toBe(false);
});

it('the overlay keeps the rules of event source mappings', async () => {
  const python = spawn(process.env['EMULATOR_PYTHON'] ?? '', ['-m', 'unittest', 'overlay.test_stream_mappings'], { cwd: EMULATOR });
  let said = '';
  python.stderr.on('data', (part: Buffer) => {
    said += String(part);
  });
  await new Promise((resolve) => python.on('close', resolve));

  expect(said).toMatch(/Ran \d+ tests[\s\S]*\nOK\n$/);
});

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
