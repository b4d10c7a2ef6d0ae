import { describe, expect, it } from 'vitest';
import { figure, times } from './figure.js';
import { barCharts, decadesOf, escapeXml, short } from './svg.js';
import { markdownTable, plainTable } from './table.js';

describe('a figure', () => {
  it.each([
    [1_234_567, '1,230,000'],
    [999.6, '1,000'],
    [123.4, '123'],
    [12.34, '12.3'],
    [1.2345, '1.23'],
    [0.01234, '0.0123'],
    [0, '0'],
    [undefined, '-'],
    [Number.NaN, '-'],
    [Number.POSITIVE_INFINITY, '-'],
  ])('of %d is written %s', (value, expected) => {
    expect(figure(value)).toBe(expected);
  });

  it('as a ratio has its sign, and none where there is none', () => {
    expect([times(12.345), times(undefined)]).toEqual(['12.3×', '-']);
  });
});

describe('a table', () => {
  const table = {
    titles: ['who', 'per second'],
    left: 1,
    rows: [
      ['bare', '1,000'],
      ['a|b', '9'],
    ],
  };

  it('aligns words to the left and figures to the right, and ends no line with blanks', () => {
    expect(plainTable(table)).toBe('who   per second\nbare       1,000\na|b            9\n');
  });

  it('in Markdown escapes what would be a column', () => {
    expect(markdownTable(table)).toBe('| who | per second |\n| --- | ---: |\n| bare | 1,000 |\n| a\\|b | 9 |\n');
  });
});

describe('a plot', () => {
  const page = {
    title: 'a < b & "c"',
    series: [
      { name: "it's", colour: '#123456' },
      { name: 'gone', colour: '#654321' },
    ],
    charts: [{ title: 'one', groups: [{ label: '1 caller', values: { "it's": 1_500 } }] }],
  };

  it('escapes every text', () => {
    expect(escapeXml(`<&>"'`)).toBe('&lt;&amp;&gt;&quot;&#39;');
    expect(barCharts(page)).toContain('a &lt; b &amp; &quot;c&quot;');
    expect(barCharts(page)).toContain('it&#39;s, 1 caller: 1,500');
  });

  it('has a bar for each value, none for one that is missing, and only numbers that can be drawn', () => {
    const bars = barCharts(page).match(/<rect [^>]*><title>/g) ?? [];

    expect(bars).toHaveLength(1);
    expect(barCharts({ ...page, charts: [{ title: 'none', groups: [] }] })).not.toMatch(/NaN|Infinity/);
  });

  it('follows the colours of the reader', () => {
    expect(barCharts(page)).toContain('prefers-color-scheme: dark');
  });

  it.each([
    [
      [5, 50],
      [0, 2],
    ],
    [[100], [2, 3]],
    [
      [0.02, 3],
      [-2, 1],
    ],
    [[], [0, 1]],
    [
      [0, Number.NaN],
      [0, 1],
    ],
  ])('of the values %j spans the decades %j', (values, decades) => {
    expect(decadesOf(values)).toEqual(decades);
  });

  it.each([
    [1_234_567, '1.2M'],
    [45_678, '46k'],
    [1_000, '1k'],
    [12.3, '12'],
    [0.5, '0.5'],
  ])('writes %d as %s above its bar', (value, expected) => {
    expect(short(value)).toBe(expected);
  });
});
