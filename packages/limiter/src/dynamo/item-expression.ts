import type { Clause, Condition, Count } from '../admin/item-table.js';

/** What the expressions of one request refer to; left out where it is empty, as DynamoDB wants it. */
export interface ExpressionParts {
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
}

/** The changes of an update, by attribute. */
export interface Changes {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly count?: Readonly<Record<string, Count>>;
  readonly remove?: readonly string[];
}

/** Writes the expressions of one request in DynamoDB's language, over plain values. */
export class ItemExpression {
  readonly #names = new Map<string, string>();
  readonly #values: Record<string, unknown> = {};

  name(attribute: string): string {
    const placeholder = this.#names.get(attribute) ?? `#${this.#names.size}`;
    this.#names.set(attribute, placeholder);
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:${Object.keys(this.#values).length}`;
    this.#values[placeholder] = value;
    return placeholder;
  }

  condition(when: Condition): string {
    return when.map((clause) => this.#clause(clause)).join(' AND ');
  }

  update({ set = {}, add = {}, count = {}, remove = [] }: Changes): string {
    const assignments = Object.entries(set).map(([attribute, value]) => `${this.name(attribute)} = ${this.value(value)}`);
    for (const [attribute, { begin, add: amount }] of Object.entries(count)) {
      const name = this.name(attribute);
      assignments.push(`${name} = if_not_exists(${name}, ${this.value(begin)}) + ${this.value(amount)}`);
    }
    const additions = Object.entries(add).map(([attribute, amount]) => `${this.name(attribute)} ${this.value(amount)}`);
    const removals = remove.map((attribute) => this.name(attribute));
    return [
      ...(assignments.length === 0 ? [] : [`SET ${assignments.join(', ')}`]),
      ...(additions.length === 0 ? [] : [`ADD ${additions.join(', ')}`]),
      ...(removals.length === 0 ? [] : [`REMOVE ${removals.join(', ')}`]),
    ].join(' ');
  }

  /** What the expressions written so far refer to. */
  parts(): ExpressionParts {
    return {
      ...(this.#names.size === 0
        ? {}
        : { ExpressionAttributeNames: Object.fromEntries([...this.#names].map(([name, placeholder]) => [placeholder, name])) }),
      ...(Object.keys(this.#values).length === 0 ? {} : { ExpressionAttributeValues: this.#values }),
    };
  }

  #clause(clause: Clause): string {
    const name = this.name(clause.attribute);
    if ('is' in clause) return `${clause.is === 'absent' ? 'attribute_not_exists' : 'attribute_exists'}(${name})`;
    if ('equals' in clause) return `${name} = ${this.value(clause.equals)}`;
    return `${name} <= ${this.value(clause.atMost)}`;
  }
}
