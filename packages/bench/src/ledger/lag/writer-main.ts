import { createInterface } from 'node:readline';
import { type LagTask, openWriter } from './writer.js';

// The first line is the task, the second one asks for the changes. Each has one for an answer.
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const answer = (value: object): unknown => process.stdout.write(`${JSON.stringify(value)}\n`);

const { value: first } = await lines.next();
const writer = await openWriter(JSON.parse(first) as LagTask);
answer({});
while ((await lines.next()).done !== true) answer(await writer.write());
// The end of the input is the end of the parent: nothing outlives it.
process.exit(0);
