import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { replayWrites } from './replaying-server.js';

/** An engine that numbers its answers, and refuses what asks to be refused. */
async function numberedEngine() {
  let answered = 0;
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    answered += 1;
    const isRefused = Buffer.concat(parts).includes('refuse');
    response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' }).end(`{"answer":${answered}}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

describe('the server that the bench is answered by', () => {
  it('answers each write of an item as the engine answered the first, and asks the engine whatever else', async () => {
    const engine = await numberedEngine();
    const server = await replayWrites(engine.endpoint);
    const ask = async (operation: string, entity: string, more = ''): Promise<unknown> => {
      const reply = await fetch(server.endpoint, {
        method: 'POST',
        headers: { 'x-amz-target': `DynamoDB_20120810.${operation}` },
        body: `{"TableName":"t","Key":{"PK":{"S":"${entity}"},"SK":{"S":"b"}},"more":"${more}"}`,
      });
      return [reply.status, ((await reply.json()) as { answer: number }).answer];
    };
    try {
      expect(await ask('UpdateItem', 'one', 'refuse')).toEqual([400, 1]);
      expect(await ask('UpdateItem', 'one')).toEqual([200, 2]);
      expect(await ask('UpdateItem', 'one', 'again')).toEqual([200, 2]);
      expect(await ask('UpdateItem', 'two')).toEqual([200, 3]);
      expect(await ask('GetItem', 'one')).toEqual([200, 4]);
      expect(await ask('GetItem', 'one')).toEqual([200, 5]);
      expect(await ask('UpdateItem', 'one')).toEqual([200, 2]);
    } finally {
      await server.close();
      engine.close();
    }
  });
});
