import type { Plan } from '@millrace/limits';
import type { StackRequest } from './request.js';

/** What became of a request. */
export type Outcome =
  | { readonly ok: true; readonly physicalId: string; readonly data?: AnswerData }
  | { readonly ok: false; readonly physicalId: string; readonly reason: string };

/** The attributes of the resource. All are always there: a template that asks for one that is not could not be deployed. */
export interface AnswerData {
  readonly Manifest: string;
  readonly Namespace: string;
  /** How many levels were made, and so on, as text. */
  readonly Created: string;
  readonly Updated: string;
  readonly Deleted: string;
  readonly Unchanged: string;
  /** What was changed, one to a line, as far as there is room. */
  readonly Changes: string;
  /** What else there is to know; empty for nothing. */
  readonly Note: string;
}

/** The most that CloudFormation reads of an answer. */
const MAX_BYTES = 4_096;
/** Room for a reason beside the longest of all the ids. */
const MAX_REASON_BYTES = 1_200;

/** The answer to CloudFormation, as it is sent: never longer than what is read of it. */
export function answerText(request: StackRequest, outcome: Outcome): string {
  const whole = {
    Status: outcome.ok ? 'SUCCESS' : 'FAILED',
    ...(outcome.ok ? {} : { Reason: cut(outcome.reason, MAX_REASON_BYTES) }),
    PhysicalResourceId: outcome.physicalId,
    StackId: request.stackId,
    RequestId: request.requestId,
    LogicalResourceId: request.logicalId,
  };
  if (!outcome.ok || outcome.data === undefined) return JSON.stringify(whole);
  const { Changes: changes, Note: note, ...rest } = outcome.data;
  const withText = (lines: string, more: string): string => JSON.stringify({ ...whole, Data: { ...rest, Changes: lines, Note: more } });
  const short = cut(note, MAX_REASON_BYTES);
  return withText(
    fitting(changes, (lines) => Buffer.byteLength(withText(lines, short)) <= MAX_BYTES),
    short,
  );
}

/** What is told of a plan that was carried out. */
export function planData(plan: Plan, names: { readonly manifest: string; readonly namespace: string }, note = ''): AnswerData {
  const { create, update, delete: deleted, unchanged } = plan.summary;
  const changed = plan.changes.filter(({ action }) => action !== 'unchanged');
  return {
    Manifest: names.manifest,
    Namespace: names.namespace,
    Created: String(create),
    Updated: String(update),
    Deleted: String(deleted),
    Unchanged: String(unchanged),
    Changes: changed.map(({ action, target }) => `${action} ${target}`).join('\n'),
    Note: note,
  };
}

/** As many whole lines, from the first, as fit, and how many are left out. */
function fitting(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text;
  const lines = text.split('\n');
  const shortened = (count: number): string => [...lines.slice(0, count), `and ${lines.length - count} more`].join('\n');
  let [low, high] = [0, lines.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(shortened(middle))) low = middle;
    else high = middle - 1;
  }
  return shortened(low);
}

/** A text of at most so many bytes as it stands in JSON, on a boundary of characters. */
function cut(text: string, maxBytes: number): string {
  const size = (part: string): number => Buffer.byteLength(JSON.stringify(part)) - 2;
  if (size(text) <= maxBytes) return text;
  let kept = '';
  let bytes = Buffer.byteLength('…');
  for (const character of text) {
    bytes += size(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return `${kept}…`;
}
