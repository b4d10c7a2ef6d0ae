import { type BucketRef, type BucketWrite, counterBase, type Move } from '../bucket.js';
import { FIRST_LAYOUT } from '../layout.js';
import { bucketKey } from '../schema/keys.js';
import { SCHEMA_VERSION } from '../schema/version.js';
import { wireKey } from './attribute-value.js';
import { bucketWriteRequest } from './bucket.js';

/** What the texts of all writes of one form have in common: all but the table, the key and the values. */
interface Form {
  /** Between the key and the values. */
  readonly expressions: string;
  /** After the values. */
  readonly end: string;
}

const OLDEST = SCHEMA_VERSION - 1;
const NEWEST = SCHEMA_VERSION + 1;
const MAX_FORMS = 1_000;
const forms = new Map<string, Form>();
const quotes = new Map<string, string>();
const keys = new WeakMap<BucketRef, string>();

/**
 * The JSON of {@link bucketWriteRequest}, to the letter. Expressions and names say nothing of values: they depend on the
 * limits' names and the moves' forms, so those of a take or a charge are made once for each of these, and a write is a few
 * pieces of text put together. That is a tenth of the work, of which interpreters such as k6's make much.
 */
export function bucketWriteText(table: string, write: BucketWrite): string {
  const name = formName(write);
  if (name === undefined) return JSON.stringify(bucketWriteRequest(table, write));
  const { expressions, end } = forms.get(name) ?? learnForm(name, write);
  return `{"TableName":${quoted(table)},"Key":${keyText(write.ref)}${expressions}${valuesText(write)}${end}`;
}

/** Names the form of a write; undefined where it is none of the hot path. Names of limits hold no comma. */
function formName({ moves, reshape, configVersion, request, layout }: BucketWrite): string | undefined {
  if (reshape !== undefined || moves.length === 0) return undefined;
  let name = `${configVersion === undefined ? '' : 'c'}${request === undefined ? '' : request.slot}${layout === undefined ? '' : layout === FIRST_LAYOUT ? 'f' : 'n'}`;
  // Here and below by index: an interpreter without a compiler pays for an iterator's step with two objects.
  for (let index = 0; index < moves.length; index += 1) {
    const move = moves[index] as Move;
    if (move.form !== 'busy' && move.form !== 'idle') return undefined;
    const bound = move.form === 'busy' && move.toUs === undefined ? '-' : '+';
    name += `,${move.form}${bound}${move.scale === undefined ? '-' : '+'}${move.limit}`;
  }
  return name;
}

/** Takes the texts of a form out of a whole request of it. */
function learnForm(name: string, write: BucketWrite): Form {
  const { TableName: _, Key: __, ExpressionAttributeValues: ___, UpdateExpression, ...rest } = bucketWriteRequest('', write);
  const { ConditionExpression, ExpressionAttributeNames, ...settings } = rest;
  const expressions = JSON.stringify({ UpdateExpression, ConditionExpression, ExpressionAttributeNames });
  const form = {
    expressions: `,${expressions.slice(1, -1)},"ExpressionAttributeValues":`,
    end: `,${JSON.stringify(settings).slice(1)}`,
  };
  if (forms.size >= MAX_FORMS) forms.clear();
  forms.set(name, form);
  return form;
}

/** A text as JSON writes it. There are few of them: names of tables, and scales. */
function quoted(text: string): string {
  let known = quotes.get(text);
  if (known === undefined) {
    known = JSON.stringify(text);
    if (quotes.size >= MAX_FORMS) quotes.clear();
    quotes.set(text, known);
  }
  return known;
}

function keyText(ref: BucketRef): string {
  let text = keys.get(ref);
  if (text === undefined) {
    text = JSON.stringify(wireKey(bucketKey(ref)));
    keys.set(ref, text);
  }
  return text;
}

/** The values in the order in which {@link bucketWriteRequest} hands out their placeholders; a test holds the two together. */
function valuesText({ moves, nowUs, configVersion, request, layout, ttlSec }: BucketWrite): string {
  let text = '{';
  let at = 0;
  for (let index = 0; index < moves.length; index += 1) {
    const move = moves[index] as Move;
    if (move.form !== 'busy' && move.form !== 'idle') continue;
    if (move.scale !== undefined) {
      text += `":${at}":{"S":${quoted(move.scale)}},`;
      at += 1;
    }
    const { tokens, chargeUs } = move;
    if (move.form === 'idle') {
      text += `":${at}":{"N":"${counterBase(nowUs)}"},":${at + 1}":{"N":"${move.toUs}"},":${at + 2}":{"N":"${nowUs + chargeUs}"},":${at + 3}":{"N":"${tokens}"},`;
      at += 4;
    } else if (move.toUs === undefined) {
      text += `":${at}":{"N":"${move.fromUs}"},":${at + 1}":{"N":"${chargeUs}"},":${at + 2}":{"N":"${tokens}"},`;
      at += 3;
    } else {
      text += `":${at}":{"N":"${move.fromUs}"},":${at + 1}":{"N":"${move.toUs}"},":${at + 2}":{"N":"${chargeUs}"},":${at + 3}":{"N":"${tokens}"},`;
      at += 4;
    }
  }
  if (configVersion !== undefined) text += `":${at++}":{"N":"${configVersion}"},`;
  if (request !== undefined) text += `":${at++}":{"N":"${request.id}"},`;
  if (layout !== undefined) text += `":${at++}":{"N":"${layout}"},`;
  return `${text}":${at}":{"N":"${OLDEST}"},":${at + 1}":{"N":"${NEWEST}"},":${at + 2}":{"N":"${nowUs}"},":${at + 3}":{"N":"1"},":${at + 4}":{"N":"${SCHEMA_VERSION}"},":${at + 5}":{"N":"${ttlSec}"}}`;
}
