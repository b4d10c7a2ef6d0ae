import { text } from 'node:stream/consumers';
import type { Task } from './cell.js';
import { workOff } from './worker.js';

// One task on the input, one answer on the output. A task that failed is what the exit code and the errors' output say.
const task = JSON.parse(await text(process.stdin)) as Task;
process.stdout.write(JSON.stringify(await workOff(task)));
