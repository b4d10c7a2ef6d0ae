import { Limit } from '@millrace/core';
import type { WindowChange } from '@millrace/ledger';
import { describe, expect, it } from 'vitest';
import type { ThresholdEvent, Trouble, UnsentEvents } from './ports.js';
import { type ThresholdParts, ThresholdWatch, watchedType } from './threshold-watch.js';

const HOUR_START_MS = Date.UTC(2026, 4, 13, 10);
const ZONES = new Map([['n1', 'UTC']]);

function changeOf(type: 'hour' | 'day', startMs = HOUR_START_MS, shard = 0): WindowChange {
  const span = { from: 1n, to: 2n };
  return {
    ref: { bucket: { namespaceId: 'n1', entity: 'key', resource: 'gpt-4', shard }, eraUs: 1, type, startMs },
    seq: { from: 1, to: 2 },
    limits: new Map([['rpm', { used: span, returned: span, isBirth: false }]]),
  };
}

/** A watch over an entity that has used so much in each window. */
function watchOf(
  used: number,
  limits: readonly Limit[] = [Limit.perMinute('rpm', 10)],
  publish?: (events: readonly ThresholdEvent[]) => Promise<UnsentEvents | undefined>,
  parts: Partial<ThresholdParts> = {},
) {
  const [sent, troubles, reads]: [ThresholdEvent[], Trouble[], string[]] = [[], [], []];
  const watch = new ThresholdWatch({
    limits: { limitsOf: async () => limits },
    usage: {
      usageOf: async ({ type }) => {
        reads.push(type);
        return new Map([['rpm', used]]);
      },
    },
    events: {
      publish: async (events) => {
        const answer = (await publish?.(events)) ?? { events: [] };
        sent.push(...events.filter((event) => !answer.events.includes(event)));
        return answer;
      },
    },
    ...parts,
  });
  const metrics = { figures: () => undefined, trouble: (trouble: Trouble) => void troubles.push(trouble) };
  return { watch, metrics, sent, troubles, reads, look: (...changes: WindowChange[]) => watch.look(changes, ZONES, () => true, metrics) };
}

describe('a threshold', () => {
  it('is crossed where an entity has used 80 % of what the rate of a limit lets through in the window', async () => {
    const { look, sent } = watchOf(480);

    expect(await look(changeOf('hour'))).toBe(1);

    expect(sent).toEqual([
      {
        id: 'n1/key/gpt-4/rpm/hour/2026-05-13T10%3A00%3A00.000Z',
        namespaceId: 'n1',
        entity: 'key',
        resource: 'gpt-4',
        limit: 'rpm',
        window: { type: 'hour', start: '2026-05-13T10:00:00.000Z', end: '2026-05-13T11:00:00.000Z' },
        used: 480,
        allowance: 600,
        ratio: 0.8,
      },
    ]);
  });

  it('is not looked for in the windows of usage events, whose tokens were taken from a bucket before', async () => {
    const { look, sent, reads } = watchOf(480);
    const { ref, ...rest } = changeOf('hour');

    expect(await look({ ...rest, ref: { ...ref, source: 'events' } })).toBe(0);

    expect([sent, reads]).toEqual([[], []]);
  });

  it('is not crossed by a token less', async () => {
    const { look, sent } = watchOf(479);

    expect(await look(changeOf('hour'))).toBe(0);
    expect(sent).toEqual([]);
  });

  it('is told once for a window, though its records go on coming', async () => {
    const { look, sent } = watchOf(500);

    await look(changeOf('hour'));
    expect(await look(changeOf('hour'))).toBe(1);
    await look(changeOf('hour', HOUR_START_MS + 3_600_000));

    expect(sent.map(({ window }) => window.start)).toEqual(['2026-05-13T10:00:00.000Z', '2026-05-13T11:00:00.000Z']);
  });

  it('is looked at once for all shards of a bucket, and only in the windows that fit the limit', async () => {
    const { look, reads } = watchOf(500);

    await look(changeOf('hour'), changeOf('hour', HOUR_START_MS, 1), changeOf('day', Date.UTC(2026, 4, 13)));

    expect(reads).toEqual(['hour']);
  });

  it.each([
    [Limit.perMinute('rpm', 1), 'hour'],
    [Limit.perHour('rpm', 1), 'hour'],
    [Limit.perDay('rpm', 1), 'day'],
    [Limit.of({ name: 'rpm', refill: 1, periodMs: 7 * 86_400_000 }), 'week'],
    [Limit.of({ name: 'rpm', refill: 1, periodMs: 30 * 86_400_000 }), 'month'],
  ] as const)('of $periodMs ms is watched in a window at least as long', (limit, type) => {
    expect(watchedType(limit)).toBe(type);
  });

  it.each([
    [Limit.perMinute('rpm', 1), ['day', 'month'], 'day'],
    [Limit.perDay('rpm', 1), ['hour', 'month'], 'month'],
    [Limit.perDay('rpm', 1), ['hour'], undefined],
  ] as const)('of $periodMs ms is watched in a window that is kept, if one is as long: %o', (limit, kept, type) => {
    expect(watchedType(limit, kept)).toBe(type);
  });

  it('of a limit by the minute is told of a day, where hours are not kept', async () => {
    const { look, sent } = watchOf(0.8 * 14_400, undefined, undefined, { windowTypes: ['day', 'month'] });

    expect(await look(changeOf('day', Date.UTC(2026, 4, 13)))).toBe(1);
    expect(sent).toMatchObject([{ window: { type: 'day' }, allowance: 14_400 }]);
  });

  it('that cannot be looked at is told as a trouble', async () => {
    const usageOf = () => Promise.reject(new Error('busy'));
    const { look, troubles } = watchOf(500, undefined, undefined, { usage: { usageOf } });

    expect(await look(changeOf('hour'))).toBe(0);
    expect(troubles).toEqual([{ what: 'threshold', message: 'busy', records: 0 }]);
  });

  it('of the window that was told longest ago may be told again, once ten thousand others were', async () => {
    const { look, sent } = watchOf(500);
    const windows = Array.from({ length: 10_001 }, (_, index) => changeOf('hour', HOUR_START_MS + index * 3_600_000));

    await look(...windows);
    await look(windows[10_000] as WindowChange);
    expect(sent).toHaveLength(10_001);
    await look(windows[0] as WindowChange);

    expect(sent).toHaveLength(10_002);
  });

  it('is not looked at for limits that are not stored: nobody knows what they allow', async () => {
    const { look, reads } = watchOf(500, []);

    expect(await look(changeOf('hour'))).toBe(0);
    expect(reads).toEqual([]);
  });

  it('whose event cannot be sent is told as a trouble, and sent the next time', async () => {
    let isDown = true;
    const { look, sent, troubles } = watchOf(500, undefined, async () => {
      if (isDown) throw new Error('no bus');
      return undefined;
    });

    expect(await look(changeOf('hour'))).toBe(1);
    isDown = false;
    await look(changeOf('hour'));

    expect(troubles).toEqual([{ what: 'threshold', message: 'no bus', records: 0 }]);
    expect(sent).toHaveLength(1);
  });

  it('whose event was not taken is told with the next batch, though nobody writes to its window any more', async () => {
    let isBusy = true;
    const { look, sent, troubles } = watchOf(500, undefined, async (events) =>
      isBusy ? { events: events.slice(1), reason: 'busy' } : undefined,
    );
    const starts = [0, 1, 2].map((hour) => HOUR_START_MS + hour * 3_600_000);

    await look(...starts.map((startMs) => changeOf('hour', startMs)));
    isBusy = false;
    expect(await look()).toBe(0);
    await look(...starts.map((startMs) => changeOf('hour', startMs)));

    expect(sent.map(({ window }) => Date.parse(window.start))).toEqual(starts);
    expect(troubles).toEqual([{ what: 'threshold', message: 'busy', records: 0 }]);
  });

  it('has at most a hundred events wait for a bus that takes none', async () => {
    let most = 0;
    const { look } = watchOf(500, undefined, async (events) => {
      most = Math.max(most, events.length);
      return { events, reason: 'no bus' };
    });

    for (let hour = 0; hour < 150; hour += 1) await look(changeOf('hour', HOUR_START_MS + hour * 3_600_000));

    expect(most).toBe(101);
  });

  it('that there is no time to look at is told as a trouble', async () => {
    const { troubles, watch, metrics } = watchOf(500);

    expect(await watch.look([changeOf('hour'), changeOf('day', Date.UTC(2026, 4, 13))], ZONES, () => false, metrics)).toBe(0);

    expect(troubles).toEqual([{ what: 'threshold', message: 'there was no time left to look at 2 of 2 windows', records: 0 }]);
  });
});
