import { checkPrefetch, type Engine, type EngineOptions, type PrefetchOptions } from '@millrace/limiter/engine';
import { ConfigWorld, RESOURCE } from './config-world.js';
import { Sleepers, settled } from './sleepers.js';

/** Processes that take ahead, in time that passes only when a test says so. */
export class PrefetchWorld extends ConfigWorld {
  readonly sleepers = new Sleepers((ms) => this.runtime.advance(ms));

  /** One more process. */
  openAhead(prefetch: true | PrefetchOptions = true, options: Partial<EngineOptions> = {}): Engine {
    const settings = checkPrefetch(prefetch);
    return this.open({ sleep: this.sleepers.sleep, ...(settings === undefined ? {} : { prefetch: settings }), ...options });
  }

  /** Acquires one after the other, `everyMs` apart, and says how many were admitted. */
  async run(
    by: Engine,
    count: number,
    everyMs: number,
    amounts: Readonly<Record<string, number>> = { rpm: 1 },
    entity = 'key',
  ): Promise<number> {
    let admitted = 0;
    for (let index = 0; index < count; index += 1) {
      admitted += (await by.tryAcquire(entity, RESOURCE, amounts)).allowed ? 1 : 0;
      await this.sleepers.pass(everyMs);
    }
    return admitted;
  }

  /** Makes a process hold a chunk: it has been asked for one token every 20 milliseconds. */
  async warm(by: Engine, entity = 'key'): Promise<void> {
    await this.run(by, 40, 20, { rpm: 1 }, entity);
    // Up to the acquire that brings a new chunk, so that there is the most to be given back.
    for (let index = 0; index < 200; index += 1) {
      const before = this.store.writes.length;
      await this.run(by, 1, 20, { rpm: 1 }, entity);
      if (this.store.writes.length > before) break;
    }
    await settled();
  }
}
