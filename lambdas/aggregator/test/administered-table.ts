import { type Administration, type ItemTable, Namespaces } from '@millrace/limiter/admin';
import { MemoryTable } from '@millrace/testing';
import { NotedMetrics } from './batch-world.js';

/** A table with namespaces, as administration sees it at a moment that a test sets. */
export class AdministeredTable {
  readonly table = new MemoryTable();
  readonly metrics = new NotedMetrics();
  readonly ids = new Map<string, string>();
  nowMs: number;
  #events = 0;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  /** What works on a table. */
  parts(items: ItemTable = this.table): Administration {
    return {
      items,
      namespaceId: '_',
      nowMs: () => this.nowMs,
      newEventId: () => {
        this.#events += 1;
        return `01JZ${String(this.#events).padStart(22, '0')}`;
      },
      actor: undefined,
      onChange: () => undefined,
      run: (_, work) => work(),
    };
  }

  async register(...names: readonly string[]): Promise<this> {
    for (const name of names) this.ids.set(name, (await new Namespaces(this.parts()).register(name)).id);
    return this;
  }
}
