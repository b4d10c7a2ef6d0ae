import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { machineSources } from './engine-sources.js';
import { type FoundEngine, findEngine } from './find-engine.js';
import { freePort } from './free-port.js';
import { startEngine } from './start-engine.js';

const { found: dynoxide, reason } = await findEngine('dynoxide', machineSources(process.env));
const { env } = process;
let temporary: string;

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'millrace-start-test-'));
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, temporary);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(temporary, { recursive: true, force: true });
});

describe('starting an engine', { timeout: 60_000 }, () => {
  // Node stands for a broken engine: it takes `serve` for a script, finds none, and ends.
  const broken: FoundEngine = { name: 'dynoxide', path: process.execPath };

  it('fails with what the engine wrote to stderr when it ends at once', async () => {
    await expect(startEngine(broken, { env })).rejects.toThrow(/ended before it answered.*Cannot find module/s);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('fails with the reason when the engine cannot be run at all', async () => {
    const missing: FoundEngine = { name: 'dynoxide', path: join(temporary, 'gone') };

    await expect(startEngine(missing, { env })).rejects.toThrow(/ended before it answered.*ENOENT/s);
    expect(await readdir(temporary)).toEqual([]);
  });

  describe.skipIf(dynoxide === undefined)(`dynoxide ${reason ?? ''}`, () => {
    it('takes another port when somebody else won the first, even one who answers', async () => {
      const winner = await answeringServer();
      const freed = await freePort();
      const ports = [winner.port, freed];
      const choosePort = async (): Promise<number> => ports.shift() ?? freePort();

      await using engine = await startEngine(dynoxide as FoundEngine, { env, choosePort });

      expect(engine.endpoint).not.toBe(`http://127.0.0.1:${winner.port}`);
      expect(ports).toEqual([]);
      winner.server.close();
    });

    it('takes the port that it is told, and no other when that is taken', async () => {
      const winner = await answeringServer();
      await expect(startEngine(dynoxide as FoundEngine, { env, port: winner.port })).rejects.toThrow(`port ${winner.port} is taken`);
      winner.server.close();

      const port = await freePort();
      await using engine = await startEngine(dynoxide as FoundEngine, { env, port });
      expect(engine.endpoint).toBe(`http://127.0.0.1:${port}`);
    });

    it('gives up when every port is taken', async () => {
      const winner = await answeringServer();
      const choosePort = async (): Promise<number> => winner.port;

      await expect(startEngine(dynoxide as FoundEngine, { env, choosePort })).rejects.toThrow('in use');
      expect(await readdir(temporary)).toEqual([]);
      winner.server.close();
    });

    it('runs in an empty folder, and close ends the process and removes the folder', async () => {
      const engine = await startEngine(dynoxide as FoundEngine, { env });
      const [folder, ...others] = await readdir(temporary);
      const inside = await readdir(join(temporary, folder as string));

      await Promise.all([engine.close(), engine.close()]);

      expect(others).toEqual([]);
      expect(inside).toEqual([]);
      expect(await readdir(temporary)).toEqual([]);
      await expect(fetch(engine.endpoint)).rejects.toThrow('fetch failed');
    });
  });
});

function answeringServer(): Promise<{ server: Server; port: number }> {
  const server = createServer((_request, response) => response.writeHead(400).end());
  return new Promise((resolve) => {
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address();
      resolve({ server, port: typeof address === 'object' && address !== null ? address.port : 0 });
    });
  });
}
