import { describe, expect, it } from 'vitest';
import type { WindowChange } from './change.js';
import { DEFAULT_RETENTION } from './retention.js';
import { type WindowReply, widenBy } from './widen.js';
import type { WindowUpdateWire } from './window-wire.js';

const bucket = { namespaceId: 'n1', entity: 'key-1', resource: 'gpt-4', shard: 0 };
const change: WindowChange = {
  ref: { bucket, eraUs: 5, type: 'hour', startMs: 1_800_003_600_000 },
  seq: { from: 3, to: 4 },
  limits: new Map([['rpm', { used: { from: 10n, to: 20n }, returned: { from: 0n, to: 0n }, isBirth: false }]]),
};

/** The item as others have left it: from 15 up to so far. */
const refusal = (to: number): WindowReply => ({
  isRefused: true,
  item: {
    PK: { S: 'n1/u/key-1' },
    SK: { S: 'hour/gpt-4/2027-01-15T09:00:00Z/0/5' },
    v: { N: '1' },
    sa: { N: '4' },
    sb: { N: '9' },
    'ua.rpm': { N: '15' },
    'ub.rpm': { N: String(to) },
    'ra.rpm': { N: '0' },
    'rb.rpm': { N: '0' },
    'ob.rpm': { BOOL: false },
  },
});

async function widened(replies: readonly WindowReply[]) {
  const sent: WindowUpdateWire[] = [];
  const send = async (request: WindowUpdateWire): Promise<WindowReply> => {
    sent.push(request);
    return replies[Math.min(sent.length, replies.length) - 1] as WindowReply;
  };
  const outcome = await widenBy(send, 'millrace', change, DEFAULT_RETENTION).catch((error: unknown) => error);
  return { outcome, sent };
}

describe('widening by requests', () => {
  it('costs one write where the window is new, or only goes on', async () => {
    const { outcome, sent } = await widened([{ isRefused: false }]);

    expect(outcome).toBe('written');
    expect(sent.length).toBe(1);
  });

  it('costs one more where it does not, and demands what was read', async () => {
    const { outcome, sent } = await widened([refusal(30), { isRefused: false }]);

    expect(outcome).toBe('written');
    expect(sent.length).toBe(2);
    const values = Object.values(sent[1]?.ExpressionAttributeValues ?? {}).map((value) => ('N' in value ? value.N : ''));
    expect(values).toEqual(expect.arrayContaining(['15', '30', '10', '3', '9']));
  });

  it('starts over where another writer was faster, or the item has gone', async () => {
    expect((await widened([refusal(30), refusal(40), { isRefused: false }])).sent.length).toBe(3);
    expect((await widened([refusal(30), { isRefused: true }, { isRefused: false }])).outcome).toBe('written');
  });

  it('gives up, loudly, where others are faster every time: the batch comes again', async () => {
    const { outcome, sent } = await widened([refusal(30)]);

    expect(outcome).toMatchObject({ code: 'CONFLICT' });
    expect(sent.length).toBe(8);
  });
});
