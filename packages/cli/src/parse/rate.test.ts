import { describe, expect, it } from 'vitest';
import { parseNumber, parsePerMonth, parseShare } from './rate.js';

describe('how often something happens', () => {
  it('is read as so many times in a month of 30 days', () => {
    expect(parsePerMonth('acquires', '10000/hour')).toBe(7_200_000);
    expect(parsePerMonth('acquires', '1000000/day')).toBe(30_000_000);
    expect(parsePerMonth('acquires', '0.5/second')).toBe(1_296_000);
    expect(parsePerMonth('acquires', '2/minute')).toBe(86_400);
    expect(parsePerMonth('acquires', '5/month')).toBe(5);
  });

  it.each(['10000', '10/week', '-1/day', '1e3/day', '/day', ''])('is never %j', (text) => {
    expect(() => parsePerMonth('acquires', text)).toThrow('option "acquires" must be a number per second, minute, hour, day or month');
  });
});

describe('a share', () => {
  it('is a fraction or a percentage', () => {
    expect(parseShare('cascade', '0.25')).toBe(0.25);
    expect(parseShare('cascade', '25%')).toBe(0.25);
    expect(parseShare('cascade', '1')).toBe(1);
  });

  it.each(['2', '101%', '-0.1', 'half', '50 %', ''])('is never %j', (text) => {
    expect(() => parseShare('cascade', text)).toThrow('option "cascade" must be a share from 0 to 1, or from 0% to 100%');
  });
});

describe('a number', () => {
  it('is zero or more, and no other notation', () => {
    expect(parseNumber('adjusts', '1.5')).toBe(1.5);
    for (const text of ['-1', 'x', '1e3', ''])
      expect(() => parseNumber('adjusts', text)).toThrow('option "adjusts" must be a number of 0 or more');
  });
});
