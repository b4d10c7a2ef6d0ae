import { describe, expect, it } from 'vitest';
import { replaceSection } from './sections.js';

const page = 'intro\n<!-- bench:a -->\nold\n<!-- /bench:a -->\nbetween\n<!-- bench:b -->\n<!-- /bench:b -->\n';

describe('a section of the page', () => {
  it('is replaced between its marks, and nothing else is', () => {
    expect(replaceSection(page, 'a', 'new $& text\n')).toBe(
      'intro\n<!-- bench:a -->\n\nnew $& text\n\n<!-- /bench:a -->\nbetween\n<!-- bench:b -->\n<!-- /bench:b -->\n',
    );
  });

  it('is the same after it was replaced twice', () => {
    expect(replaceSection(replaceSection(page, 'b', 'x'), 'b', 'x')).toBe(replaceSection(page, 'b', 'x'));
  });

  it('must be there', () => {
    expect(() => replaceSection(page, 'c', 'x')).toThrow('bench:c');
  });
});
