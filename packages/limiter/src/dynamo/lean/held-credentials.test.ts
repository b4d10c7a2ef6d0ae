import { describe, expect, it } from 'vitest';
import { HeldCredentials, type ProvidedCredentials } from './held-credentials.js';

const NOW_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

/** A provider that gives the first key, the second one, and so on; each holds for as long as it is told. */
class Rotating {
  asked = 0;
  forced = 0;
  failure: Error | undefined;
  readonly #lifeMs: number | undefined;

  constructor(lifeMs?: number) {
    this.#lifeMs = lifeMs;
  }

  readonly provide = async (options?: { readonly forceRefresh: boolean }): Promise<ProvidedCredentials> => {
    this.asked += 1;
    if (options?.forceRefresh === true) this.forced += 1;
    if (this.failure !== undefined) throw this.failure;
    const life = this.#lifeMs === undefined ? {} : { expiration: new Date(NOW_MS + this.#lifeMs * this.asked) };
    return { accessKeyId: `key-${this.asked}`, secretAccessKey: 'secret', ...life };
  };
}

describe('credentials in use', () => {
  it('are asked for once, and then taken without waiting', async () => {
    const provider = new Rotating();
    const held = new HeldCredentials(provider.provide);
    expect(held.at(NOW_MS)).toBeUndefined();

    const found = await held.ask(NOW_MS);

    expect([found.accessKeyId, provider.asked]).toEqual(['key-1', 1]);
    expect(held.at(NOW_MS + 1e12)).toBe(found);
  });

  it('are asked for again five minutes before they expire', async () => {
    const held = new HeldCredentials(new Rotating(HOUR_MS).provide);
    const found = await held.ask(NOW_MS);

    expect(held.at(NOW_MS + HOUR_MS - 300_001)).toBe(found);
    expect(held.at(NOW_MS + HOUR_MS - 300_000)).toBeUndefined();
    expect((await held.ask(NOW_MS + HOUR_MS - 300_000)).accessKeyId).toBe('key-2');
  });

  it('are asked for once by all who need them at the same time', async () => {
    const provider = new Rotating();
    const held = new HeldCredentials(provider.provide);

    const found = await Promise.all([held.ask(NOW_MS), held.ask(NOW_MS), held.ask(NOW_MS)]);

    expect([new Set(found).size, provider.asked]).toEqual([1, 1]);
  });

  it('go on as long as they hold when no new ones are to be had, and then are missing by name', async () => {
    const provider = new Rotating(HOUR_MS);
    const held = new HeldCredentials(provider.provide);
    const found = await held.ask(NOW_MS);
    provider.failure = new Error('the role is gone');

    expect(await held.ask(NOW_MS + HOUR_MS - 1)).toBe(found);
    await expect(held.ask(NOW_MS + HOUR_MS)).rejects.toMatchObject({
      name: 'CredentialsProviderError',
      message: 'the role is gone',
      cause: provider.failure,
    });
  });
});

describe('credentials that were refused', () => {
  it('are dropped, and the provider is made to ask again', async () => {
    const provider = new Rotating();
    const held = new HeldCredentials(provider.provide);
    const refused = await held.ask(NOW_MS);

    expect(await held.instead(refused, NOW_MS)).toMatchObject({ accessKeyId: 'key-2' });

    expect(provider.forced).toBe(1);
    expect(held.at(NOW_MS)).toMatchObject({ accessKeyId: 'key-2' });
  });

  it('have nothing instead of them where the provider gives the same again', async () => {
    const same = { accessKeyId: 'key', secretAccessKey: 'secret' };
    const held = new HeldCredentials(async () => ({ ...same }));
    const refused = await held.ask(NOW_MS);

    expect(await held.instead(refused, NOW_MS)).toBeUndefined();
    expect(held.at(NOW_MS)).toBe(refused);
  });

  it('make the provider ask once for all requests that were refused with them', async () => {
    const provider = new Rotating();
    const held = new HeldCredentials(provider.provide);
    const refused = await held.ask(NOW_MS);

    const together = await Promise.all([held.instead(refused, NOW_MS), held.instead(refused, NOW_MS)]);
    const late = await held.instead(refused, NOW_MS);

    expect([...together, late].map((found) => found?.accessKeyId)).toEqual(['key-2', 'key-2', 'key-2']);
    expect(provider.forced).toBe(1);
  });

  it('make it ask once a second at most, however many are refused', async () => {
    let asked = 0;
    const held = new HeldCredentials(async () => {
      asked += 1;
      return { accessKeyId: 'key', secretAccessKey: 'secret' };
    });
    const refused = await held.ask(NOW_MS);

    for (let ms = 0; ms < 2_000; ms += 100) await held.instead(refused, NOW_MS + ms);

    expect(asked).toBe(1 + 2);
  });
});
