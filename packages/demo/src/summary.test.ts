import { describe, expect, it } from 'vitest';
import { firstSentences } from './summary.js';

const README = `# a-package

[![build](https://ci/badge.svg)](https://ci)

A *small* [package](https://npm) for tests. It does one thing! Does it do more?

\`\`\`js
doNot(read, this);
\`\`\`

| a | table |
`;

describe('a summary', () => {
  it('is the first sentences of the prose, as many as fit', () => {
    expect(firstSentences(README, 50)).toBe('A small package for tests. It does one thing!');
    expect(firstSentences(README, 500)).toBe('A small package for tests. It does one thing! Does it do more?');
  });

  it('is the beginning of a first sentence that does not fit', () => {
    expect(firstSentences(README, 7)).toBe('A small');
  });

  it('is empty where there is no prose', () => {
    expect(firstSentences('# only a heading\n', 100)).toBe('');
  });
});
