import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { confirm } from './confirm.js';

const question = { what: 'deletes table "millrace" with all that it holds', type: 'millrace' };

function terminal(typed: string, isTTY = true) {
  const written: string[] = [];
  const input = Object.assign(Readable.from([typed]), { isTTY });
  return { written, in: input, out: { write: () => true }, err: { isTTY, write: (text: string) => written.push(text) }, env: {} };
}

describe('destroying', () => {
  it('goes on when the name of what goes was typed', async () => {
    const here = terminal('millrace\n');

    await confirm(question, false, here);

    expect(here.written.join('')).toBe('This deletes table "millrace" with all that it holds.\nType millrace to go on: ');
  });

  it.each(['yes\n', '\n', 'Millrace\n', ''])('stops when %j was typed instead', async (typed) => {
    await expect(confirm(question, false, terminal(typed))).rejects.toMatchObject({ code: 'NOT_CONFIRMED' });
  });

  it('needs --yes where nobody can be asked, and does not wait for an answer there', async () => {
    await expect(confirm(question, false, terminal('millrace\n', false))).rejects.toMatchObject({
      code: 'USAGE',
      message: 'this deletes table "millrace" with all that it holds, and nobody can be asked here',
      hint: 'add --yes if that is what you want',
    });
  });

  it('asks nobody with --yes', async () => {
    const here = terminal('', false);

    await confirm(question, true, here);

    expect(here.written).toEqual([]);
  });
});
