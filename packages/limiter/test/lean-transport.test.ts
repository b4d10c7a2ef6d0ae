import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { failure, reply, type Script, ScriptedServer } from './scripted-server.js';
import { closeTransports, open, UPDATE } from './transport-world.js';

const NOW_MS = Date.UTC(2027, 5, 1, 12, 0, 0);
const HOUR_MS = 3_600_000;
const written = reply(200, { Attributes: {}, ConsumedCapacity: { CapacityUnits: 1 } });
const expired = failure('InvalidSignatureException', 'Signature expired: 20270601T120000Z is now earlier than 20270601T125500Z');
const dated = (script: Script, nowMs: number): Script => {
  return (response, request) => {
    response.setHeader('date', new Date(nowMs).toUTCString());
    script(response, request);
  };
};

let server: ScriptedServer;
beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterEach(() => closeTransports());
afterAll(() => server.close());

const lean = (options: Parameters<typeof open>[2] = {}) => open('lean', server.endpoint, { nowMs: () => NOW_MS, ...options });
const signedAt = () => server.arrived.map(({ headers }) => headers['x-amz-date']);
const signedBy = () => server.arrived.map(({ headers }) => /Credential=([^/]*)/.exec(headers.authorization ?? '')?.[1]);

describe('the time of a signature', () => {
  it.each([
    { title: 'too old', script: expired },
    { title: 'too new', script: failure('InvalidSignatureException', 'Signature not yet current: …') },
    { title: 'off by name', script: failure('RequestTimeTooSkewed') },
  ])('that is $title is corrected by the reply, once, and stays corrected', async ({ script }) => {
    const { transport, told } = await lean();
    server.play(dated(script, NOW_MS + HOUR_MS), written);

    expect(await transport.send('UpdateItem', UPDATE)).toMatchObject({ isRefused: false });
    await transport.send('UpdateItem', UPDATE);

    expect(signedAt()).toEqual(['20270601T120000Z', '20270601T130000Z', '20270601T130000Z']);
    expect(told.map(([, , units]) => units)).toEqual([0, 1, 1]);
  });

  it('that is refused again, or is right by the reply itself, is a failure', async () => {
    const { transport } = await lean();
    server.play(dated(expired, NOW_MS + HOUR_MS), dated(expired, NOW_MS + 2 * HOUR_MS));
    await expect(transport.send('UpdateItem', UPDATE)).rejects.toMatchObject({ reason: 'credentials', applied: 'no' });
    expect(server.arrived).toHaveLength(2);

    server.play(dated(expired, NOW_MS + HOUR_MS));
    await expect(transport.send('UpdateItem', UPDATE)).rejects.toMatchObject({ reason: 'credentials', applied: 'no' });
    expect(server.arrived).toHaveLength(1);
  });

  it('is corrected for all requests that were on their way', async () => {
    const { transport } = await lean();
    const late = dated(expired, NOW_MS + HOUR_MS);
    server.play(late, late, late, written);

    const replies = await Promise.all([1, 2, 3].map(() => transport.send('UpdateItem', UPDATE)));

    expect(replies.map(({ isRefused }) => isRefused)).toEqual([false, false, false]);
  });
});

describe('credentials', () => {
  /** Gives key-1, then key-2, and so on. */
  const rotating = () => {
    let given = 0;
    return async () => {
      given += 1;
      return { accessKeyId: `key-${given}`, secretAccessKey: 'secret', sessionToken: `token-${given}` };
    };
  };

  it.each(['ExpiredTokenException', 'UnrecognizedClientException', 'InvalidSignatureException'])(
    'that are refused with %s are asked for once more, and what comes is used from then on',
    async (type) => {
      const { transport } = await lean({ credentials: rotating() });
      server.play(failure(type), written);
      const [before] = [signedBy()];

      await transport.send('UpdateItem', UPDATE);
      await transport.send('UpdateItem', UPDATE);

      expect(before).toEqual([]);
      expect(signedBy()).toEqual(['key-1', 'key-2', 'key-2']);
      expect(server.arrived.map(({ headers }) => headers['x-amz-security-token'])).toEqual(['token-1', 'token-2', 'token-2']);
    },
  );

  it('that are refused twice are a failure, and never a third request', async () => {
    const { transport } = await lean({ credentials: rotating() });
    server.play(failure('ExpiredTokenException'));

    await expect(transport.send('UpdateItem', UPDATE)).rejects.toMatchObject({ reason: 'credentials', applied: 'no' });

    expect(server.arrived).toHaveLength(2);
  });

  it('that no provider gives any more are a failure that says why', async () => {
    let isGone = false;
    const credentials = async () => {
      if (isGone) throw new Error('the role is gone');
      return { accessKeyId: 'key', secretAccessKey: 'secret' };
    };
    const { transport } = await lean({ credentials });
    server.play(failure('ExpiredTokenException'));
    isGone = true;

    await expect(transport.send('UpdateItem', UPDATE)).rejects.toMatchObject({
      reason: 'credentials',
      applied: 'no',
      message: expect.stringContaining('the role is gone'),
    });
  });

  it('that do not come are waited for no longer than a request may take', async () => {
    let isStuck = false;
    const credentials = async () => {
      if (isStuck) await new Promise(() => undefined);
      return { accessKeyId: 'key', secretAccessKey: 'secret', expiration: new Date(Date.now() + 1_000) };
    };
    const { transport } = await lean({ credentials, timeoutMs: 100, nowMs: Date.now });
    isStuck = true;
    server.play(written);

    await expect(transport.send('UpdateItem', UPDATE)).rejects.toMatchObject({ reason: 'timeout', applied: 'no' });

    expect(server.arrived).toHaveLength(0);
  });
});

describe('a reply', () => {
  it('whose checksum differs is no answer', async () => {
    const { transport } = await lean();
    server.play(reply(200, { Attributes: {} }, { 'x-amz-crc32': '1' }));

    await expect(transport.send('UpdateItem', UPDATE)).rejects.toMatchObject({
      reason: 'network',
      applied: 'unknown',
      message: expect.stringContaining('checksum'),
    });
  });

  it('in many pieces is whole in the end, whatever they cut apart', async () => {
    const { transport } = await lean();
    const text = Buffer.from(JSON.stringify({ Attributes: { PK: { S: 'n/b/ключ/模型-😀' } } }));
    server.play((response) => {
      response.writeHead(200, { 'content-length': text.length });
      let sent = 0;
      const next = (): void => {
        if (sent < text.length) response.write(text.subarray(sent, ++sent), () => setImmediate(next));
        else response.end();
      };
      next();
    });

    expect(await transport.send('UpdateItem', UPDATE)).toEqual({ isRefused: false, Attributes: { PK: { S: 'n/b/ключ/模型-😀' } } });
  });

  it('of more than a reply can be is not kept', async () => {
    const { transport } = await lean();
    const megabyte = Buffer.alloc(1024 * 1024, ' ');
    server.play((response) => {
      response.writeHead(200);
      const next = (): void => {
        if (!response.destroyed) response.write(megabyte, () => setImmediate(next));
      };
      next();
    });

    await expect(transport.send('UpdateItem', UPDATE)).rejects.toMatchObject({
      applied: 'unknown',
      message: expect.stringMatching(/bytes/),
    });
  });
});

describe('connections', () => {
  it('are no more than the bound, and are used again: who finds none free is sent when one is', async () => {
    const { transport } = await lean();
    const held: (() => void)[] = [];
    const sockets = new Set<unknown>();
    const areHeld = new Promise<void>((resolve) => {
      server.play((response, request) => {
        sockets.add(response.socket);
        held.push(() => written(response, request));
        if (held.length === 256) resolve();
        if (held.length > 256) written(response, request);
      });
    });
    const sent = Array.from({ length: 300 }, () => transport.send('UpdateItem', UPDATE));
    await areHeld;
    expect(server.arrived).toHaveLength(256);

    for (const answer of held.slice(0, 256)) answer();

    expect(await Promise.all(sent)).toHaveLength(300);
    expect(server.arrived).toHaveLength(300);
    expect(sockets.size).toBeLessThanOrEqual(256);
  });
});
