import { checkKeys, ENTITY_FIELD, embeddedMetrics, METRIC_DIMENSION, ValidationError } from '@millrace/core';
import type { EntityActivity, MetricReport, MetricSink } from './sink.js';

/** Where lines go. */
export interface EmfSinkOptions {
  /** Writes one line. @default to the standard output, where Lambda, and a log driver or agent elsewhere, picks it up */
  readonly write?: (line: string) => void;
}

/**
 * Metrics as lines of CloudWatch's embedded metric format: no request, no permission, no client. For Lambda, where the
 * output is a log already, and for containers whose output goes to CloudWatch Logs.
 *
 * @throws ValidationError if an option is wrong
 */
export function emfSink(options: EmfSinkOptions = {}): MetricSink {
  checkKeys('options', options, ['write']);
  // Not `console.log`: Lambda wraps what that writes where it is told to log in JSON, and CloudWatch finds no metrics in it.
  const { write = (line) => void process.stdout.write(`${line}\n`) } = options;
  if (typeof write !== 'function') throw new ValidationError('option "write"', 'a function', write);
  return {
    send: ({ namespace, atMs, table, points, entities }: MetricReport): void => {
      for (const point of points) write(embeddedMetrics(namespace, atMs, point));
      for (const entity of entities) write(activityLine(table, entity));
    },
  };
}

/** An entity's activity as a line of JSON: no metric, but what a rule of Contributor Insights ranks. */
function activityLine(table: string, { entity, resource, acquires, rejected }: EntityActivity): string {
  const where = { [METRIC_DIMENSION.table]: table, [METRIC_DIMENSION.resource]: resource };
  const what = { [ENTITY_FIELD.entity]: entity, [ENTITY_FIELD.acquires]: acquires, [ENTITY_FIELD.rejected]: rejected };
  return JSON.stringify({ ...where, ...what });
}
