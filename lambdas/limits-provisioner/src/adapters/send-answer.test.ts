import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AnswerServer } from '../../test/answer-server.js';
import { sendAnswer } from './send-answer.js';

let server: AnswerServer;
const pauses: number[] = [];
const send = (text: string): Promise<void> => sendAnswer(server.url, text, fetch, async (ms) => void pauses.push(ms));

beforeEach(async () => {
  pauses.length = 0;
  server = await AnswerServer.listen();
});
afterEach(() => server.close());

describe('sending an answer', () => {
  it('puts it to the very address, with no type of content, as that is how the address was signed', async () => {
    await send('{"Status":"SUCCESS","Data":{"Note":"ü"}}');

    expect(server.puts).toMatchObject([
      { method: 'PUT', path: '/answer?Expires=1&Signature=a%2Bb', body: '{"Status":"SUCCESS","Data":{"Note":"ü"}}' },
    ]);
    const { headers } = server.puts[0] as AnswerServer['puts'][number];
    expect(headers['content-type'] ?? '').toBe('');
    expect(headers['content-length']).toBe('41');
    expect(headers).not.toHaveProperty('authorization');
  });

  it('is repeated where it may not have been taken', async () => {
    server.replies.push(503, 'reset', 500);
    await send('{}');
    expect(server.puts).toHaveLength(4);
    expect(pauses).toEqual([500, 1_000, 1_500]);
  });

  it('ends after four tries, so that Lambda invokes the function again', async () => {
    server.replies.push(503, 503, 503, 503);
    await expect(send('{}')).rejects.toThrow('CloudFormation did not take the answer: status 503');
    expect(server.puts).toHaveLength(4);
  });

  it('is not repeated where it was refused, and the address is kept secret', async () => {
    server.replies.push(403);
    const error = await send('{}').catch((reason: unknown) => reason);
    expect(String(error)).toBe('Error: CloudFormation did not take the answer: status 403');
    expect(server.puts).toHaveLength(1);
  });
});
