import { describe, expect, it } from 'vitest';
import { brief, plainText } from './brief.js';

describe('plain data for people', () => {
  it.each([
    [{ parent: 'org', cascade: true, ancestors: [] }, 'parent: org, cascade: yes'],
    [{ ancestors: ['project', 'org'] }, 'ancestors: project org'],
    [{ missing: { rpm: 90, tpm: 1 } }, 'missing (rpm: 90, tpm: 1)'],
    [{ missing: {} }, ''],
    ['text', 'text'],
    [5, '5'],
    [null, 'null'],
  ])('%j is %j', (value, text) => {
    expect(plainText(value)).toBe(text);
  });

  it('is cut where it is too long for a line, and says so', () => {
    expect(brief('x'.repeat(60))).toEqual({ text: 'x'.repeat(60), isCut: false });
    expect(brief('x'.repeat(61))).toEqual({ text: `${'x'.repeat(59)}…`, isCut: true });
  });
});
