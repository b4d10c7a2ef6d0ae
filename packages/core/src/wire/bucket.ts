import { type BucketRef, type BucketState, type BucketWrite, counterBase, type LimitState, type Move, REQUEST_SLOTS } from '../bucket.js';
import { ATTRIBUTE, isLimitAttribute, limitAttribute, limitOfAttribute, requestAttribute } from '../schema/attributes.js';
import { bucketKey } from '../schema/keys.js';
import { checkSchemaVersion, SCHEMA_VERSION } from '../schema/version.js';
import { bigintAt, numberAt, text, textAt, type WireItem, wireKey } from './attribute-value.js';
import { Expression } from './expression.js';
import { isSeedAttribute, reshapeClauses, seedsOf } from './reshape.js';
import { hintOf } from './split-hint.js';

/** DynamoDB's UpdateItem, as far as Millrace uses it. */
export interface UpdateItemWire {
  TableName: string;
  Key: WireItem;
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: WireItem;
  ReturnValues: 'ALL_NEW';
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD';
  ReturnConsumedCapacity: 'TOTAL';
}

/** DynamoDB's GetItem. */
export interface GetItemWire {
  TableName: string;
  Key: WireItem;
  ConsistentRead: boolean;
  ReturnConsumedCapacity: 'TOTAL';
}

/** One write of a bucket: all moves happen or none, in one item, with one condition, for one write unit. */
export function bucketWriteRequest(table: string, write: BucketWrite): UpdateItemWire {
  const expression = new Expression();
  const conditions: string[] = [];
  const assignments: string[] = [];
  const removals: string[] = [];
  for (const move of write.moves) {
    const clauses = moveClauses(expression, move, write.nowUs);
    conditions.push(clauses.condition);
    assignments.push(...clauses.assignments);
    removals.push(...(clauses.removals ?? []));
  }

  if (write.configVersion !== undefined) {
    const [configVersion, known] = [expression.name(ATTRIBUTE.configVersion), expression.number(write.configVersion)];
    conditions.push(`(attribute_not_exists(${configVersion}) OR ${configVersion} <= ${known})`);
    assignments.push(`${configVersion} = ${known}`);
  }

  if (write.request !== undefined) {
    const [slot, id] = [expression.name(requestAttribute(write.request.slot)), expression.number(write.request.id)];
    conditions.push(`(attribute_not_exists(${slot}) OR ${slot} <> ${id})`);
    assignments.push(`${slot} = ${id}`);
  }

  const shape = reshapeClauses(expression, write);
  conditions.push(...shape.conditions);
  assignments.push(...shape.assignments);
  removals.push(...shape.removals);

  const [seq, version] = [expression.name(ATTRIBUTE.seq), expression.name(ATTRIBUTE.schemaVersion)];
  // An item that this release could not read it must not write either.
  const [oldest, newest] = [expression.number(SCHEMA_VERSION - 1), expression.number(SCHEMA_VERSION + 1)];
  conditions.push(`(attribute_not_exists(${version}) OR ${version} BETWEEN ${oldest} AND ${newest})`);
  const [era, now, one] = [expression.name(ATTRIBUTE.eraUs), expression.number(write.nowUs), expression.number(1)];
  // A limit that is dropped may come back with counters that begin anew, so a drop ends the era. It is counted on, and not
  // set to now: however far apart the clocks of two writers are, no two eras of an item are the same.
  const endsEra = write.moves.some(({ form }) => form === 'drop');
  assignments.push(
    `${seq} = if_not_exists(${seq}, ${now}) + ${one}`,
    `${era} = if_not_exists(${era}, ${now})${endsEra ? ` + ${one}` : ''}`,
    `${version} = if_not_exists(${version}, ${expression.number(SCHEMA_VERSION)})`,
    `${expression.name(ATTRIBUTE.ttlSec)} = ${expression.number(write.ttlSec)}`,
  );
  // A write without moves only lengthens an item's life, or raises its configuration version: it must not create one.
  if (write.moves.length === 0 && !mayCreate(write)) conditions.push(`attribute_exists(${seq})`);

  return {
    TableName: table,
    Key: wireKey(bucketKey(write.ref)),
    UpdateExpression: `SET ${assignments.join(', ')}${removals.length === 0 ? '' : ` REMOVE ${removals.join(', ')}`}`,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: expression.names,
    ExpressionAttributeValues: expression.values,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ReturnConsumedCapacity: 'TOTAL',
  };
}

/** Steps of a new layout that leave an item behind, whether there was one or not. */
function mayCreate({ reshape }: Pick<BucketWrite, 'reshape'>): boolean {
  return reshape?.form === 'birth' || reshape?.form === 'retire';
}

interface MoveClauses {
  readonly condition: string;
  readonly assignments: readonly string[];
  readonly removals?: readonly string[];
}

function moveClauses(expression: Expression, move: Move, nowUs: number): MoveClauses {
  // Made only where they are used: DynamoDB refuses a request that names or values more than its expressions use.
  const name = (part: 'tat' | 'used' | 'returned' | 'scale'): string => expression.name(limitAttribute(part, move.limit));
  const tat = name('tat');
  const scale = scaleClauses(expression, move);

  switch (move.form) {
    case 'busy': {
      // Two comparisons and no BETWEEN, which refuses a range that is empty, as it is for a request beyond the tolerance.
      const notBehind = `${tat} >= ${expression.number(move.fromUs)}`;
      return {
        condition: (move.toUs === undefined ? notBehind : `${notBehind} AND ${tat} <= ${expression.number(move.toUs)}`) + scale.condition,
        assignments: [
          `${tat} = ${tat} + ${expression.number(move.chargeUs)}`,
          `${name('used')} = ${name('used')} + ${expression.number(move.tokens)}`,
          ...scale.assignments,
        ],
      };
    }
    case 'idle': {
      const base = expression.number(counterBase(nowUs));
      return {
        condition: `(attribute_not_exists(${tat}) OR ${tat} <= ${expression.number(move.toUs)})`,
        assignments: [
          `${tat} = ${expression.number(nowUs + move.chargeUs)}`,
          `${name('used')} = if_not_exists(${name('used')}, ${base}) + ${expression.number(move.tokens)}`,
          `${name('returned')} = if_not_exists(${name('returned')}, ${base})`,
          ...scale.assignments,
        ],
      };
    }
    case 'credit':
      return {
        condition: `attribute_exists(${tat})${scale.condition}`,
        assignments: [
          `${tat} = ${tat} - ${expression.number(move.chargeUs)}`,
          `${name('returned')} = ${name('returned')} + ${expression.number(move.tokens)}`,
          ...scale.assignments,
        ],
      };
    case 'revive': {
      const base = expression.number(counterBase(nowUs));
      return {
        condition: `attribute_not_exists(${tat})`,
        assignments: [
          `${tat} = ${expression.number(nowUs)}`,
          `${name('used')} = ${base}`,
          `${name('returned')} = ${base} + ${expression.number(move.tokens)}`,
          ...scale.assignments,
        ],
      };
    }
    case 'rescale':
      return {
        condition: `${tat} = ${expression.number(move.fromTatUs)}`,
        assignments: [`${tat} = ${expression.number(move.toTatUs)}`, ...scale.assignments],
      };
    case 'drop':
      return {
        condition: `${tat} <= ${expression.number(move.toUs)}`,
        assignments: [],
        removals: [tat, name('used'), name('returned'), name('scale')],
      };
  }
}

/** The scale that a move leaves behind, and the demand for it, of a move by a distance: see {@link Move}. */
function scaleClauses(expression: Expression, move: Move): { readonly condition: string; readonly assignments: readonly string[] } {
  if (move.form === 'drop' || move.scale === undefined) return { condition: '', assignments: [] };
  const [name, value] = [expression.name(limitAttribute('scale', move.limit)), expression.value(text(move.scale))];
  return { condition: ` AND (attribute_not_exists(${name}) OR ${name} = ${value})`, assignments: [`${name} = ${value}`] };
}

/** Reads a bucket, as of the last write that was answered. */
export function bucketReadRequest(table: string, ref: BucketRef): GetItemWire {
  return { TableName: table, Key: wireKey(bucketKey(ref)), ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' };
}

/** The bucket that an item holds. */
export function bucketFromItem(item: WireItem): BucketState {
  checkSchemaVersion('the bucket', numberAt(item, ATTRIBUTE.schemaVersion) ?? 0);
  const limits = new Map<string, LimitState>();
  const attributes = Object.keys(item);
  let isSplitting = false;
  // By index, and without copies of what is there only sometimes: every reply of the hot path is read here.
  for (let index = 0; index < attributes.length; index += 1) {
    const attribute = attributes[index] as string;
    if (!isLimitAttribute(attribute)) continue;
    const limit = limitOfAttribute(attribute);
    if (limit !== undefined) limits.set(limit, limitAt(item, attribute, limit));
    else isSplitting ||= isSeedAttribute(attribute);
  }
  const state: Writable<BucketState> = {
    limits,
    seq: numberAt(item, ATTRIBUTE.seq) ?? 0,
    configVersion: numberAt(item, ATTRIBUTE.configVersion),
    ttlSec: numberAt(item, ATTRIBUTE.ttlSec) ?? 0,
  };
  const eraUs = numberAt(item, ATTRIBUTE.eraUs);
  if (eraUs !== undefined) state.eraUs = eraUs;
  const requestIds = requestIdsOf(item);
  if (requestIds !== undefined) state.requestIds = requestIds;
  const layout = numberAt(item, ATTRIBUTE.layout);
  if (layout !== undefined) state.layout = layout;
  const nextLayout = numberAt(item, ATTRIBUTE.nextLayout);
  if (nextLayout !== undefined) state.nextLayout = nextLayout;
  if (isSplitting) state.seeds = seedsOf(item);
  const hint = hintOf(item);
  if (hint !== undefined) state.hint = hint;
  return state;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function limitAt(item: WireItem, attribute: string, limit: string): LimitState {
  const tatUs = numberAt(item, attribute) ?? 0;
  const used = bigintAt(item, limitAttribute('used', limit)) ?? 0n;
  const returned = bigintAt(item, limitAttribute('returned', limit)) ?? 0n;
  const scale = textAt(item, limitAttribute('scale', limit));
  return scale === undefined ? { tatUs, used, returned } : { tatUs, used, returned, scale };
}

const REQUEST_ATTRIBUTES = Array.from({ length: REQUEST_SLOTS }, (_, slot) => requestAttribute(slot));

function requestIdsOf(item: WireItem): BucketState['requestIds'] {
  let requestIds: Map<number, number> | undefined;
  for (let slot = 0; slot < REQUEST_SLOTS; slot += 1) {
    const id = numberAt(item, REQUEST_ATTRIBUTES[slot] as string);
    if (id === undefined) continue;
    requestIds ??= new Map();
    requestIds.set(slot, id);
  }
  return requestIds;
}
