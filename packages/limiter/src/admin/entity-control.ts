import { ATTRIBUTE, type ConfigLevel, configKey, type EntityControl } from '@millrace/core';
import { type Administration, inTurns } from './administration.js';
import { eventWrites } from './entity-item.js';
import { configOfItem, levelWrite } from './level-item.js';

const ENFORCE: EntityControl = Object.freeze({ mode: 'enforce' });

/** How an entity is treated. One read. */
export async function readControl({ items, namespaceId }: Administration, entity: string): Promise<EntityControl> {
  const [item] = await items.get([configKey(namespaceId, { level: 'entity-default', entity })]);
  return configOfItem(item)?.control ?? ENFORCE;
}

/** Has an entity be treated so. False if it is already; then nothing is written. */
export async function writeControl(
  parts: Administration,
  entity: string,
  control: EntityControl,
  actor: string | undefined,
): Promise<boolean> {
  const level: ConfigLevel = { level: 'entity-default', entity };
  const { namespaceId } = parts;
  return inTurns('control an entity', async () => {
    const [item] = await parts.items.get([configKey(namespaceId, level)]);
    const before = configOfItem(item)?.control ?? ENFORCE;
    if (before.mode === control.mode && before.reason === control.reason) return false;
    const nowMs = parts.nowMs();
    const attributes = {
      [ATTRIBUTE.mode]: control.mode === 'enforce' ? undefined : control.mode,
      [ATTRIBUTE.reason]: control.reason,
    };
    const writes = [
      levelWrite(namespaceId, level, item, attributes, nowMs),
      ...eventWrites(parts, { action: 'entity.control', entity, actor, nowMs, before, after: control }),
    ];
    const outcome = await parts.items.transact(writes).finally(() => parts.onChange([level]));
    return outcome === 'done' ? true : undefined;
  });
}
