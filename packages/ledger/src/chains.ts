import { bucketName, type WindowRef } from '@millrace/core';
import type { UsageWindowItem } from './change.js';

/**
 * The windows of each bucket item and type, in the order in which they were used. The eras of an item follow each other, and
 * their windows join as those of one era do.
 */
export function chainsOf(windows: Iterable<UsageWindowItem>): readonly (readonly UsageWindowItem[])[] {
  const chains = new Map<string, UsageWindowItem[]>();
  for (const window of windows) {
    const { source = 'buckets', type, bucket } = window.ref;
    const name = `${source}/${type}/${bucketName(bucket)}`;
    const chain = chains.get(name);
    if (chain === undefined) chains.set(name, [window]);
    else chain.push(window);
  }
  return [...chains.values()].map((chain) => chain.sort((a, b) => inOrder(a.ref, b.ref)));
}

function inOrder(a: WindowRef, b: WindowRef): number {
  return a.eraUs - b.eraUs || a.startMs - b.startMs;
}
