/** One document, for programs: numbers plain, moments in ISO 8601, and a line feed at the end. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
