import { describe, expect, it } from 'vitest';
import { collectorVariables } from './collector.js';

const PLENTY_MB = 16_384;

describe("Go's collector in k6", () => {
  it('waits for more garbage where few users live, and for as much as lives where they are many', () => {
    expect(collectorVariables({ users: 10, callers: 1 }, {}, PLENTY_MB)).toEqual({ GOGC: '400' });
    expect(collectorVariables({ users: 100, callers: 1 }, {}, PLENTY_MB)).toEqual({ GOGC: '223' });
    expect(collectorVariables({ users: 100, callers: 10 }, {}, PLENTY_MB)).toEqual({ GOGC: '125' });
    expect(collectorVariables({ users: 5_000, callers: 1 }, {}, PLENTY_MB)).toEqual({ GOGC: '100' });
  });

  it('leaves most of a small memory alone', () => {
    expect(collectorVariables({ users: 50, callers: 1 }, {}, 512)).toEqual({ GOGC: '100' });
    expect(collectorVariables({ users: 10, callers: 1 }, {}, 512)).toEqual({ GOGC: '256' });
  });

  it('does what somebody else has said', () => {
    expect(collectorVariables({ users: 10, callers: 1 }, { GOGC: 'off' }, PLENTY_MB)).toEqual({});
  });

  it('asks the machine how much memory there is', () => {
    expect(Number(collectorVariables({ users: 1, callers: 1 }, {})['GOGC'])).toBeGreaterThanOrEqual(100);
  });
});
