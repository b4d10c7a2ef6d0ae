import { type BucketWrite, counterBase, type Reshape, type Seed } from '../bucket.js';
import { FIRST_LAYOUT, type Layout } from '../layout.js';
import { ATTRIBUTE, limitAttribute, limitOfAttribute } from '../schema/attributes.js';
import { numberAt, text, textAt, type WireItem } from './attribute-value.js';
import type { Expression } from './expression.js';

/** What a part of a write adds to its expressions. */
export interface Clauses {
  readonly conditions: readonly string[];
  readonly assignments: readonly string[];
  readonly removals: readonly string[];
}

/** Stands for a scale that nobody has written: DynamoDB copies no attribute that is not there. */
const NO_SCALE = '-';

/** The demand for a layout, and the step to another one. */
export function reshapeClauses(expression: Expression, { layout, reshape, nowUs }: BucketWrite): Clauses {
  const step = reshape === undefined ? NOTHING : stepClauses(expression, reshape, nowUs);
  if (layout === undefined) return step;
  const [name, value] = [expression.name(ATTRIBUTE.layout), expression.number(layout)];
  const has = `${name} = ${value}`;
  // An item that retires may have expired, and then leaves a mark that it has; whatever else demands a later layout needs the item.
  const missing = layout === FIRST_LAYOUT ? name : reshape?.form === 'retire' ? expression.name(ATTRIBUTE.seq) : undefined;
  const demand = missing === undefined ? has : `(attribute_not_exists(${missing}) OR ${has})`;
  return { ...step, conditions: [...step.conditions, demand] };
}

const NOTHING: Clauses = { conditions: [], assignments: [], removals: [] };

function stepClauses(expression: Expression, reshape: Reshape, nowUs: number): Clauses {
  const name = (part: Parameters<typeof limitAttribute>[0], limit: string): string => expression.name(limitAttribute(part, limit));
  const setLayout = (to: Layout): string => `${expression.name(ATTRIBUTE.layout)} = ${expression.number(to)}`;
  switch (reshape.form) {
    case 'split': {
      const none = reshape.limits.length === 0 ? '' : expression.value(text(NO_SCALE));
      return {
        conditions: [
          `attribute_not_exists(${expression.name(ATTRIBUTE.nextLayout)})`,
          ...reshape.limits.map((limit) => `attribute_exists(${name('tat', limit)})`),
          ...reshape.absent.map((limit) => `attribute_not_exists(${name('tat', limit)})`),
        ],
        assignments: [
          setLayout(reshape.to),
          ...reshape.limits.flatMap((limit) => [
            `${name('seed', limit)} = ${name('tat', limit)}`,
            `${name('seedScale', limit)} = if_not_exists(${name('scale', limit)}, ${none})`,
          ]),
        ],
        removals: [],
      };
    }
    case 'birth': {
      const layout = expression.name(ATTRIBUTE.layout);
      const to = expression.number(reshape.to);
      return {
        conditions: [`(attribute_not_exists(${layout}) OR ${layout} < ${to})`],
        assignments: [`${layout} = ${to}`, ...[...reshape.seeds].flatMap((entry) => seedAssignments(expression, entry, nowUs))],
        removals: [],
      };
    }
    case 'born':
      return { ...NOTHING, removals: reshape.limits.flatMap((limit) => [name('seed', limit), name('seedScale', limit)]) };
    case 'intend': {
      const next = expression.name(ATTRIBUTE.nextLayout);
      return { ...NOTHING, conditions: [`attribute_not_exists(${next})`], assignments: [`${next} = ${expression.number(reshape.to)}`] };
    }
    case 'retire':
      return { ...NOTHING, assignments: [setLayout(reshape.to)] };
    case 'absorb':
      return { ...NOTHING, assignments: [setLayout(reshape.to)], removals: [expression.name(ATTRIBUTE.nextLayout)] };
  }
}

function seedAssignments(expression: Expression, [limit, { tatUs, scale }]: readonly [string, Seed], nowUs: number): readonly string[] {
  const base = expression.number(counterBase(nowUs));
  const name = (part: 'tat' | 'used' | 'returned' | 'scale'): string => expression.name(limitAttribute(part, limit));
  return [
    `${name('tat')} = ${expression.number(tatUs)}`,
    `${name('used')} = if_not_exists(${name('used')}, ${base})`,
    `${name('returned')} = if_not_exists(${name('returned')}, ${base})`,
    ...(scale === undefined ? [] : [`${name('scale')} = ${expression.value(text(scale))}`]),
  ];
}

/** Whether an attribute keeps what the item that splits off begins with. */
export function isSeedAttribute(attribute: string): boolean {
  return limitOfAttribute(attribute, 'seed') !== undefined;
}

/** What the item that splits off from this one begins with. */
export function seedsOf(item: WireItem): ReadonlyMap<string, Seed> {
  const seeds = new Map<string, Seed>();
  for (const attribute of Object.keys(item)) {
    const limit = limitOfAttribute(attribute, 'seed');
    if (limit === undefined) continue;
    const scale = textAt(item, limitAttribute('seedScale', limit));
    seeds.set(limit, { tatUs: numberAt(item, attribute) ?? 0, scale: scale === NO_SCALE ? undefined : scale });
  }
  return seeds;
}
