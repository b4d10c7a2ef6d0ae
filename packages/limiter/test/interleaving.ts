import { setImmediate as allOthers } from 'node:timers/promises';
import type { ItemTable } from '@millrace/limiter/admin';

/** A process of several, each request of which waits until it is its turn. */
interface Player {
  readonly items: ItemTable;
  readonly waiting: (() => void)[];
}

function player(table: ItemTable): Player {
  const waiting: (() => void)[] = [];
  const turn = () => new Promise<void>((resolve) => waiting.push(resolve));
  return {
    waiting,
    items: {
      get: (keys) => turn().then(() => table.get(keys)),
      query: (query) => turn().then(() => table.query(query)),
      transact: (writes) => turn().then(() => table.transact(writes)),
      deleteAll: (keys) => turn().then(() => table.deleteAll(keys)),
      scan: (...args) => turn().then(() => table.scan(...args)),
      indexed: (...args) => turn().then(() => table.indexed(...args)),
    },
  };
}

/** Says which of so many processes that wait is next. */
type Choose = (waiting: number) => number;

/** How each program ended, and how many requests were sent. */
export interface Ends {
  readonly results: readonly PromiseSettledResult<unknown>[];
  readonly requests: number;
}

/** Runs programs on one table, letting one request through at a time. */
async function play(table: ItemTable, programs: readonly ((items: ItemTable) => Promise<unknown>)[], choose: Choose): Promise<Ends> {
  const players = programs.map(() => player(table));
  let [running, requests] = [programs.length, 0];
  const ended = Promise.allSettled(
    programs.map((program, index) =>
      program((players[index] as Player).items).finally(() => {
        running -= 1;
      }),
    ),
  );
  while (running > 0) {
    await allOthers();
    const waiting = players.filter((each) => each.waiting.length > 0);
    if (waiting.length === 0) continue;
    requests += 1;
    waiting[waiting.length === 1 ? 0 : choose(waiting.length)]?.waiting.shift()?.();
  }
  return { results: await ended, requests };
}

/** What a run of programs is made of; each run has a table of its own. */
export interface Meeting {
  readonly table: ItemTable;
  readonly programs: readonly ((items: ItemTable) => Promise<unknown>)[];
}

/** Runs programs in every order in which their requests can meet, and gives how many orders there were. */
export async function inEveryOrder(prepare: () => Promise<Meeting>, check: (ends: Ends, meeting: Meeting) => void): Promise<number> {
  let runs = 0;
  let choices: { chosen: number; of: number }[] = [];
  for (;;) {
    const meeting = await prepare();
    const made: { chosen: number; of: number }[] = [];
    const ends = await play(meeting.table, meeting.programs, (of) => {
      const chosen = choices[made.length]?.chosen ?? 0;
      made.push({ chosen, of });
      return chosen;
    });
    runs += 1;
    check(ends, meeting);
    // The next order differs in the last choice that had another way to go.
    while (made.length > 0 && (made.at(-1)?.chosen ?? 0) + 1 >= (made.at(-1)?.of ?? 0)) made.pop();
    const last = made.pop();
    if (last === undefined) return runs;
    choices = [...made, { ...last, chosen: last.chosen + 1 }];
  }
}

/** Runs programs in so many orders, drawn from a seed. */
export async function inSomeOrders(
  runs: number,
  seed: number,
  prepare: () => Promise<Meeting>,
  check: (ends: Ends, meeting: Meeting) => void,
): Promise<void> {
  let state = seed;
  const draw: Choose = (of) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * of);
  };
  for (let run = 0; run < runs; run += 1) {
    const meeting = await prepare();
    check(await play(meeting.table, meeting.programs, draw), meeting);
  }
}

/** A table to a process that somebody else comes in on, once, before its request of that number. */
export function interrupted(table: ItemTable, at: number, somebody: () => Promise<unknown>): ItemTable & { readonly requests: number } {
  let requests = 0;
  const counted = async (): Promise<void> => {
    requests += 1;
    if (requests === at) await somebody();
  };
  return {
    get: (keys) => counted().then(() => table.get(keys)),
    query: (query) => counted().then(() => table.query(query)),
    transact: (writes) => counted().then(() => table.transact(writes)),
    deleteAll: (keys) => counted().then(() => table.deleteAll(keys)),
    scan: (...args) => counted().then(() => table.scan(...args)),
    indexed: (...args) => counted().then(() => table.indexed(...args)),
    get requests() {
      return requests;
    },
  };
}
