import type { LimiterStats, WindowType } from '@millrace/limiter';
import { checkBound } from './bound.js';
import type { Ledger } from './ledger.js';
import { BOOKED_TYPES, type LedgerBooks } from './ledger-books.js';
import type { AggregatorWork } from './live-ledger.js';
import { depthOf, keysUnder, LEVELS, LIMIT_NAMES, type LimitName, MEMBERS } from './organisation.js';
import type { Books } from './table-books.js';
import type { Tally } from './tally.js';
import type { LeaseCounts } from './witnessed-limiter.js';

/** What a run has seen. */
export interface Observations {
  readonly elapsedMs: number;
  readonly tally: Tally;
  readonly ledger: Ledger;
  readonly leases: LeaseCounts;
  readonly books: Books;
  readonly ledgerBooks: LedgerBooks;
  readonly aggregator: AggregatorWork;
  /** The limiter's counters before the first call and after the last. */
  readonly statsBefore: LimiterStats;
  readonly statsAfter: LimiterStats;
}

/** One limit of one entity. */
export interface LimitReport {
  readonly limit: LimitName;
  readonly capacity: number;
  readonly perMinute: number;
  /** What its callers admit to having used. */
  readonly used: number;
  /** The most that could have been: the capacity and all that came back since. */
  readonly bound: number;
  readonly peakTokens: number;
  readonly beyondTokens: number;
  /** What the table says was used. */
  readonly inTable: number;
  /** What the usage ledger says was used, by its windows of each type. */
  readonly inLedger: Readonly<Record<WindowType, number>>;
}

/** The organisation, a project or a key. */
export interface EntityReport {
  readonly id: string;
  readonly depth: number;
  readonly answered: number;
  /** 429s in which a limit of this entity stood in the way, and which limits did. */
  readonly refusedHere: number;
  readonly exhausted: readonly LimitName[];
  /** The longest that a call below it waited before the try that was admitted. */
  readonly longestWaitMs: number;
  readonly limits: readonly LimitReport[];
}

/** What it cost, by the limiter's own counters. */
interface CostReport {
  readonly acquires: number;
  readonly levels: number;
  readonly requests: Readonly<Record<string, number>>;
  /** Writes of adjustments and of failed calls' giving back. The rest of the writes is of acquires. */
  readonly settlingWrites: number;
  readonly refusedWrites: number;
  /** Refused writes that were no refusals of a limit: the state had not been known well enough. */
  readonly wrongGuesses: number;
  readonly lostReplies: number;
  /** As the engine reported them. AWS bills one more for each refused write, on which no engine reports any. */
  readonly writeUnits: number;
  readonly requestsPerAcquire: number;
  readonly writesPerAcquire: number;
  readonly acquireWritesPerAcquire: number;
  readonly billedUnitsPerAcquire: number;
}

/** The outcome of a run: what `--json` prints. */
export interface RunReport {
  readonly ok: boolean;
  readonly elapsedMs: number;
  readonly calls: Readonly<Record<'answered' | 'failed' | 'gaveUp' | 'cutOff' | 'unexpected', number>>;
  readonly firstUnexpected?: string;
  readonly refused: Tally['refused'];
  readonly tokens: Readonly<Record<'reserved' | 'charged' | 'credited' | 'givenBackByFailedCalls' | 'used', number>>;
  readonly failedCallsThatGaveBack: number;
  readonly entities: readonly EntityReport[];
  readonly cost: CostReport;
  readonly beyondTokens: number;
  readonly tableAgrees: boolean;
  /** How the usage ledger came to be, and whether windows of each type say what the table says, for every limit. */
  readonly aggregator: AggregatorWork;
  readonly ledgerAgrees: boolean;
}

const NOTHING_BOOKED: LimitReport['inLedger'] = { hour: 0, day: 0, week: 0, month: 0 };

/** Draws the conclusions from what a run has seen. */
export function reportOn(seen: Observations): RunReport {
  const { tally, ledger, leases } = seen;
  const entities = MEMBERS.map((member) => reportEntity(member, seen));
  const limits = entities.flatMap((entity) => entity.limits);
  const cost = reportCost(seen);
  const beyondTokens = limits.reduce((sum, limit) => sum + limit.beyondTokens, 0);
  const tableAgrees = limits.every((limit) => limit.used === limit.inTable);
  const ledgerAgrees = limits.every(({ inLedger, inTable }) => BOOKED_TYPES.every((type) => inLedger[type] === inTable));
  const answered = tally.total('answered');
  const everyKey = MEMBERS[0] === undefined ? [] : keysUnder(MEMBERS[0].id);
  return {
    // A lost reply may have leaked tokens, so it explains a table that says more. Nothing explains tokens beyond a bound, or a
    // ledger that says another thing than the table.
    ok: beyondTokens === 0 && answered > 0 && (tableAgrees || cost.lostReplies > 0) && ledgerAgrees,
    elapsedMs: Math.round(seen.elapsedMs),
    calls: {
      answered,
      failed: tally.total('failed'),
      gaveUp: tally.total('gaveUp'),
      cutOff: tally.total('cutOff'),
      unexpected: tally.total('unexpected'),
    },
    ...(tally.firstUnexpected === undefined ? {} : { firstUnexpected: tally.firstUnexpected }),
    refused: tally.refused,
    tokens: {
      reserved: ledger.sum('reservation', everyKey, 'tpm'),
      charged: ledger.sum('charge', everyKey, 'tpm'),
      credited: ledger.sum('credit', everyKey, 'tpm') - leases.tokensGivenBack,
      givenBackByFailedCalls: leases.tokensGivenBack,
      used: tally.total('tokensUsed'),
    },
    failedCallsThatGaveBack: leases.gaveBack,
    entities,
    cost,
    beyondTokens,
    tableAgrees,
    aggregator: seen.aggregator,
    ledgerAgrees,
  };
}

function reportEntity(member: (typeof MEMBERS)[number], { tally, ledger, books, ledgerBooks, elapsedMs }: Observations): EntityReport {
  const apiKeys = keysUnder(member.id);
  const tallies = apiKeys.map((apiKey) => tally.of(apiKey));
  const sum = (count: 'answered' | 'tokensUsed'): number => tallies.reduce((total, tallyOfKey) => total + tallyOfKey[count], 0);
  return {
    id: member.id,
    depth: depthOf(member),
    answered: sum('answered'),
    refusedHere: tally.refusalsBy(member.id),
    exhausted: LIMIT_NAMES.filter((name) => tally.limitsBlocking(member.id).has(name)),
    longestWaitMs: Math.round(Math.max(0, ...tallies.map(({ longestWaitMs }) => longestWaitMs))),
    limits: LIMIT_NAMES.flatMap((name) => {
      const limit = member.limits.find((candidate) => candidate.name === name);
      if (limit === undefined) return [];
      return {
        limit: name,
        capacity: limit.capacity,
        perMinute: limit.refill,
        used: sum(name === 'rpm' ? 'answered' : 'tokensUsed'),
        bound: Math.floor(limit.capacity + (limit.refill * elapsedMs) / limit.periodMs),
        ...checkBound(limit, ledger.movements(apiKeys, name)),
        inTable: books.get(member.id)?.get(name) ?? 0,
        inLedger: ledgerBooks.get(member.id)?.get(name) ?? NOTHING_BOOKED,
      };
    }),
  };
}

function reportCost({ leases, statsBefore, statsAfter }: Observations): CostReport {
  const since = (counter: Exclude<keyof LimiterStats, 'requests' | 'clock' | 'events'>): number =>
    statsAfter[counter] - statsBefore[counter];
  const requests: Readonly<Record<string, number>> = Object.fromEntries(
    Object.entries(statsAfter.requests)
      .map(([operation, sent]) => [operation, sent - (statsBefore.requests[operation] ?? 0)] as const)
      .filter(([, sent]) => sent > 0),
  );
  const acquires = since('acquires');
  const { UpdateItem: writes = 0 } = requests;
  const settlingWrites = (leases.adjusted + leases.gaveBack) * LEVELS;
  const perAcquire = (count: number): number => (acquires === 0 ? 0 : Math.round((count / acquires) * 1000) / 1000);
  return {
    acquires,
    levels: LEVELS,
    requests,
    settlingWrites,
    refusedWrites: since('refusedWrites'),
    wrongGuesses: since('branchMisses'),
    lostReplies: since('lostReplies'),
    writeUnits: since('writeUnits'),
    requestsPerAcquire: perAcquire(Object.values(requests).reduce((sum, sent) => sum + sent, 0)),
    writesPerAcquire: perAcquire(writes),
    acquireWritesPerAcquire: perAcquire(writes - settlingWrites),
    billedUnitsPerAcquire: perAcquire(since('writeUnits') + since('refusedWrites')),
  };
}
