import { checkInteger, checkKeys, checkName, escapeName, type NameKind, unescapeName } from '@millrace/core';
import type { ItemTable } from './item-table.js';

/** How a listing may be cut. */
export interface PageOptions {
  /** How many a page may hold, from 1 to 1,000. @default 100 */
  readonly pageSize?: number;
  /** The `next` of the page before. */
  readonly after?: string;
}

/** A page of names, in the order of their keys. */
export interface NamePage {
  readonly names: readonly string[];
  /** Hand it in as `after` to go on; absent on the last page. */
  readonly next?: string;
}

/** Checks the options of a listing of names of a kind. */
export function checkPage(options: PageOptions, kind: NameKind): { readonly pageSize: number; readonly after: string | undefined } {
  checkKeys('options', options, ['pageSize', 'after']);
  if (options.after !== undefined) checkName(kind, options.after);
  return { pageSize: checkInteger('option "pageSize"', options.pageSize ?? 100, 1, 1_000), after: options.after };
}

/** A page of a list whose sort keys are escaped names. One read. */
export async function readNames(items: ItemTable, partition: string, pageSize: number, after: string | undefined): Promise<NamePage> {
  const page = await items.query({ partition, pageSize, ...(after === undefined ? {} : { after: escapeName(after) }) });
  const names = page.items.map((item) => unescapeName(String(item['SK'])));
  return page.next === undefined ? { names } : { names, next: unescapeName(page.next) };
}
