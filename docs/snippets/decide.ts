import { availableTokens, debitUs, formFor, Limit, timingOf } from '@millrace/core';

const timing = timingOf(Limit.parse('rpm:1000/min:1500'));
const nowUs = 1_800_000_000_000_000;

// Nobody has taken from this bucket yet: it is full, and the idle form admits.
console.log(formFor(timing, undefined, nowUs, debitUs(timing, 1)), availableTokens(timing, undefined, nowUs));

// Its arrival time lies a minute ahead: a thousand tokens are out, and the reserve of 2 % is kept back.
console.log(formFor(timing, nowUs + 60_000_000, nowUs, debitUs(timing, 1)), availableTokens(timing, nowUs + 60_000_000, nowUs));
