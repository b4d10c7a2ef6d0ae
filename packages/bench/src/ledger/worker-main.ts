import { createInterface } from 'node:readline';
import type { Task } from './cell.js';
import { openWorker } from './worker.js';

// The first line is the task; each line after it asks for the next share. Every line has one for an answer.
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const answer = (value: object): unknown => process.stdout.write(`${JSON.stringify(value)}\n`);

const { value: first } = await lines.next();
const worker = await openWorker(JSON.parse(first) as Task);
answer({ startRssBytes: worker.startRssBytes });
while ((await lines.next()).done !== true) answer(await worker.run());
// The end of the input is the end of the parent: nothing outlives it.
process.exit(0);
