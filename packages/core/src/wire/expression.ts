import { type AttributeValue, number, type WireItem } from './attribute-value.js';

/** Collects the names and values of one request and hands out their placeholders. */
export class Expression {
  readonly names: Record<string, string> = {};
  readonly values: WireItem = {};
  readonly #placeholders = new Map<string, string>();
  #count = 0;

  /** The placeholder of an attribute's name; the same name always gets the same one. */
  name(attribute: string): string {
    let placeholder = this.#placeholders.get(attribute);
    if (placeholder === undefined) {
      placeholder = `#${this.#placeholders.size}`;
      this.#placeholders.set(attribute, placeholder);
      this.names[placeholder] = attribute;
    }
    return placeholder;
  }

  /** The placeholder of a value. */
  value(value: AttributeValue): string {
    const placeholder = `:${this.#count}`;
    this.#count += 1;
    this.values[placeholder] = value;
    return placeholder;
  }

  number(value: number | bigint): string {
    return this.value(number(value));
  }
}
