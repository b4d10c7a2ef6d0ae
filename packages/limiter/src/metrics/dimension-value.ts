import { OTHER_RESOURCES } from '@millrace/core';

/**
 * A name as CloudWatch takes it: printable ASCII, no colon in front, no space at the ends. Whatever else a name holds is
 * written as in a URL, and so is `%`, so that no two names become one.
 */
export function dimensionValue(name: string): string {
  // A resource that is called as all the others together are would be counted with them.
  if (name === OTHER_RESOURCES) return `%28${name.slice(1)}`;
  return name.replace(/^:|^ | $|[^ -~]|%/gu, (character) => encodeURIComponent(character));
}
