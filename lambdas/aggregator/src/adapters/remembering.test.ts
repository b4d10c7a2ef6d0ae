import { describe, expect, it } from 'vitest';
import { Remembering } from './remembering.js';

/** What is read, as often as it is read; the clock is the test's. */
function remembering(forMs: number, most: number) {
  const clock = { atMs: 0, nowMs: () => clock.atMs };
  const reads: string[] = [];
  const memory = new Remembering<string>(clock, forMs, most);
  const get = (name: string, read = async () => name) =>
    memory.get(name, () => {
      reads.push(name);
      return read();
    });
  return { clock, reads, get };
}

describe('what was read', () => {
  it('is read once, also for those who ask at once', async () => {
    const { reads, get } = remembering(Number.POSITIVE_INFINITY, 10);

    expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual(['a', 'a', 'b']);
    expect(reads).toEqual(['a', 'b']);
  });

  it('is read again when its time is over', async () => {
    const { clock, reads, get } = remembering(1_000, 10);

    for (const atMs of [0, 999, 1_000, 1_999]) {
      clock.atMs = atMs;
      await get('a');
    }
    expect(reads).toEqual(['a', 'a']);
  });

  it('is read again where it could not be', async () => {
    const { reads, get } = remembering(1_000, 10);

    await expect(get('a', () => Promise.reject(new Error('busy')))).rejects.toThrow('busy');
    expect(await get('a')).toBe('a');
    expect(reads).toEqual(['a', 'a']);
  });

  it('is never more than so much', async () => {
    const { reads, get } = remembering(Number.POSITIVE_INFINITY, 2);

    for (const name of ['a', 'b', 'c', 'c', 'a']) await get(name);

    expect(reads).toEqual(['a', 'b', 'c', 'a']);
  });
});
