import { describe, expect, it } from 'vitest';
import { COLOURED, PLAIN, styleFor } from './style.js';

describe('colours', () => {
  it('are for terminals only, and only while nobody says no', () => {
    const terminal = { isTTY: true };

    expect(styleFor(terminal, {}, true)).toBe(COLOURED);
    expect(styleFor(terminal, { NO_COLOR: '' }, true)).toBe(COLOURED);
    expect(styleFor({}, {}, true)).toBe(PLAIN);
    expect(styleFor(terminal, { NO_COLOR: '1' }, true)).toBe(PLAIN);
    expect(styleFor(terminal, { TERM: 'dumb' }, true)).toBe(PLAIN);
    expect(styleFor(terminal, {}, false)).toBe(PLAIN);
  });
});
