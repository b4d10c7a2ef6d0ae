import { describe, expect, it } from 'vitest';
import { inCliWords, unansweredPlace } from './cli-words.js';

describe('a message of the SDK on a command line', () => {
  it.each([
    ['option "start" must be in a window that ended', 'option "--at" must be in a window that ended'],
    ['option "limitName" must be a name', 'option "--of" must be a name'],
    ['option "to" must be not before "from", 2026', 'option "--to" must be not before "--from", 2026'],
    ['option "region" must be given, got undefined', 'option "--region" must be given'],
    [
      'entity "a" has 1 child; delete it, or together with it by { children: true }',
      'entity "a" has 1 child; delete it, or together with --children',
    ],
    [
      'there is no table "x" here; deploy the construct, or use createTable of @millrace/limiter/admin, and check region and endpoint',
      'there is no table "x" here',
    ],
  ])('%j says what is typed', (said, typed) => {
    expect(inCliWords(said)).toBe(typed);
  });

  it('stays as it is where nothing of it is typed differently', () => {
    for (const text of [
      'option "--limit" must be a whole number',
      'option "cascade" must be a share',
      'limit must be written so, got "start"',
    ]) {
      expect(inCliWords(text)).toBe(text);
    }
  });
});

describe('a place where nobody answers', () => {
  it('is named, however deep the error of the network lies, and of several addresses the first', () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', address: '127.0.0.1', port: 8000 });
    const several = Object.assign(new AggregateError([refused]), { code: 'ECONNREFUSED' });
    const unknown = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND', hostname: 'nowhere.invalid' });

    expect(unansweredPlace(new Error('a', { cause: new Error('b', { cause: refused }) }))).toBe(
      'nothing answered at 127.0.0.1:8000 (connection refused)',
    );
    expect(unansweredPlace(new Error('a', { cause: several }))).toContain('127.0.0.1:8000');
    expect(unansweredPlace(new Error('a', { cause: unknown }))).toBe('the name nowhere.invalid of the endpoint is not known');
  });

  it('is none for another error, and for errors that cause each other', () => {
    const circle = new Error('a');
    circle.cause = circle;

    expect([circle, new Error('a'), undefined, 'text'].map(unansweredPlace)).toEqual([undefined, undefined, undefined, undefined]);
  });
});
