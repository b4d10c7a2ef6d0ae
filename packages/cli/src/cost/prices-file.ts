import { readFile } from 'node:fs/promises';
import { ValidationError } from '@millrace/core';
import { type Prices, pricesOf } from '@millrace/cost';
import { CliFailure } from '../failure.js';

/** The prices of a region, with those that a file knows better: a JSON object of dollars by name. */
export async function readPrices(file: string | undefined, region: string | undefined): Promise<Prices> {
  const own = file === undefined ? {} : await pricesIn(file);
  try {
    return pricesOf(region, own);
  } catch (error) {
    if (!(error instanceof ValidationError) || error.subject !== 'region') throw error;
    throw new CliFailure('USAGE', error.message, 'give all its prices with --prices <file>, or take built-in ones: --region us-east-1');
  }
}

async function pricesIn(file: string): Promise<unknown> {
  const hint = 'give a JSON object such as { "usdPerMillionWriteUnits": 0.705 }; --json shows all names';
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliFailure(
      'FILE',
      `cannot read the prices ${JSON.stringify(file)}: ${code === 'ENOENT' ? 'there is no such file' : message}`,
      hint,
    );
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliFailure('FILE', `the prices ${JSON.stringify(file)} are no JSON: ${(error as Error).message}`, hint);
  }
}
