import { describe, expect, it } from 'vitest';
import { tellerOn } from './teller.js';

const CLEAR = '\r\u001b[2K';

function stream(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 12, write: (text: string) => written.push(text) };
}

describe('what is told while a command runs', () => {
  it('is one line of a terminal, not longer than it, that stays below what is said and goes away at the end', () => {
    const err = stream(true);
    const teller = tellerOn(err);
    teller.say('begun');
    teller.show('1 s of 60 s, 10/s');
    teller.show('2 s');
    teller.say('a worker ended');
    teller.end();
    teller.end();

    expect(err.written).toEqual(['begun\n', '1 s of 60 s', `${CLEAR}2 s`, `${CLEAR}a worker ended\n2 s`, CLEAR, '']);
  });

  it('is a line every ten seconds elsewhere, without any control character', () => {
    let nowMs = 0;
    const err = stream(false);
    const teller = tellerOn(err, () => nowMs);
    for (; nowMs < 31_000; nowMs += 1_000) teller.show(`${nowMs / 1_000} s of 60 s`);
    teller.say('done');
    teller.end();

    expect(err.written).toEqual(['10 s of 60 s\n', '20 s of 60 s\n', '30 s of 60 s\n', 'done\n']);
  });
});
