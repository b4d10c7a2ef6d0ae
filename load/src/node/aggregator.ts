import { pathToFileURL } from 'node:url';
import { AGGREGATOR, IS_REPOSITORY } from './package-root.js';

/** What is used of the function behind the table's stream. */
export type Aggregator = Pick<typeof import('@millrace/aggregator-lambda'), 'makeHandler' | 'STREAM_FILTERS'>;

/** That function. It is deployed, and no package that is installed: when this one is packed, it is put in as one file. */
export function loadAggregator(): Promise<Aggregator> {
  return IS_REPOSITORY ? import('@millrace/aggregator-lambda') : import(pathToFileURL(AGGREGATOR).href);
}
