import { type BucketRef, Limit, newEntity } from '@millrace/core';
import { Engine } from '@millrace/limiter/engine';
import { FailingStore, FakeRuntime } from '@millrace/testing';

export const LIMITS = [Limit.perMinute('rpm', 10), Limit.perMinute('tpm', 1_000)];

/** The bucket of an entity on the one resource there is. */
export function refOf(entity: string): BucketRef {
  return { namespaceId: 'ns', entity, resource: 'model', shard: 0 };
}

/** An engine on a store that fails as it is told, with a key below a project below an organisation. */
export class EngineWorld {
  readonly runtime = new FakeRuntime();
  readonly store = new FailingStore();

  static async create(): Promise<EngineWorld> {
    const world = new EngineWorld();
    const nowMs = world.runtime.clock.nowMs();
    const org = newEntity('org', undefined, false, undefined, nowMs);
    const project = newEntity('project', org, true, undefined, nowMs);
    const key = newEntity('key', project, true, undefined, nowMs);
    for (const entity of [org, project, key]) world.store.setConfig('ns', { level: 'lineage', entity: entity.id }, { entity });
    return world;
  }

  /** One more process. */
  open(): Engine {
    const { clock, sleep, random } = this.runtime;
    return new Engine({
      store: this.store,
      namespaceId: 'ns',
      clock,
      sleep,
      random,
      deadlineMs: 1_000,
      configTtlMs: 60_000,
      maxEntries: 100,
    });
  }

  /** What is taken of a limit at key, project and organisation. */
  nets(limit: string): number[] {
    return ['key', 'project', 'org'].map((entity) => this.store.net(refOf(entity), limit));
  }
}
