/** How sample data go: a level, a wave over the day, noise, and perhaps a burst of what does not happen else. */
interface Shape {
  readonly level: number;
  readonly wave?: number;
  readonly noise?: number;
  readonly burst?: number;
}

/** Twelve hours, in periods of five minutes. */
export const POINTS = 144;
const BURST_FROM = 96;
const BURST_TO = 108;

const calm = (level: number, burst = 0): Shape => ({ level, wave: level * 0.35, noise: level * 0.12, burst });
const rare = (burst: number): Shape => ({ level: 0, burst });

const RESOURCES = (level: number, burst = 0): Record<string, Shape> => ({
  'gpt-4': calm(level, burst),
  'gpt-4-mini': calm(level * 0.7),
  embeddings: calm(level * 0.45),
  '(other)': calm(level * 0.12),
});

/** Sample data of each line, by the title of its widget and its label. A search finds all that its widget has. */
const SHAPES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  'Admitted a second': { admitted: calm(412) },
  'Rejected, percent': { rejected: calm(2.1, 9) },
  'Latency, p99': { 'p99, ms': calm(9.4, 6) },
  'Dollars an hour, for units': { 'dollars an hour': calm(0.93) },
  'Limits found in the cache, percent': { found: { level: 99.6, noise: 0.3 } },
  'Acquires without an answer': { 'without an answer': rare(3), 'let through': rare(2), failed: rare(1), 'reports lost': rare(0) },
  'Admitted and rejected': { admitted: calm(412), rejected: calm(8, 55), 'of them without a request': calm(6, 40) },
  'Admitted, by resource': RESOURCES(54_000),
  'Rejected, by resource': RESOURCES(1_100, 14_000),
  'Latency of an acquire': { p50: calm(3.6), p95: calm(6.1), p99: calm(9.4, 6) },
  'Latency by resource, p99': RESOURCES(9.4, 6),
  'Requests to DynamoDB': {
    requests: calm(440, 60),
    'sent again: wrong guess': calm(35, 20),
    'sent again: no answer': rare(4),
    'given up': rare(0),
  },
  'Waiting and shadow mode': { 'waited for their turn': calm(240), 'refused in shadow mode': calm(60) },
  'Limits found in the cache': { found: { level: 99.6, noise: 0.3 } },
  'Clocks against that of DynamoDB': { 'worst clock': { level: 38, noise: 12 } },
  'Units consumed': { 'read units': calm(9), 'write units': calm(430, 50) },
  'Cost of units, on demand': { 'dollars an hour': calm(0.93, 0.2) },
  'Throttles by reason': { 'read: capacity': rare(0), 'write: capacity': rare(0), 'one hot key range': rare(70) },
  'Latency inside DynamoDB': { UpdateItem: calm(2.4), GetItem: calm(1.5), BatchGetItem: calm(3.1) },
  'Lag of the ledger': {
    'in the ledger after, p50': calm(1_600),
    'at the latest': calm(3_100, 1_900),
    'waited in the stream': calm(2_300, 1_200),
  },
  'Records and windows': { records: calm(124_000, 16_000), 'windows written': calm(21_000), 'known already': calm(400) },
  'Gaps in the ledger, as checks found them': { gaps: rare(0), 'all findings': rare(1), 'books not checked': rare(0) },
  'Entities near a limit': { 'beyond the threshold': calm(11, 9) },
  'Sealing of windows that are over': { sealed: { level: 4, wave: 2, noise: 0.3 }, 'could not be sealed': rare(1) },
  'Rounds of sealing': { rounds: { level: 1 }, 'of them without time for all': rare(0.8) },
  Invocations: { invocations: calm(310) },
  'Errors and throttles': { errors: rare(1), 'not started: too many at once': rare(0), 'refused by DynamoDB': rare(6) },
  Duration: { p50: calm(210), longest: calm(1_900, 2_400) },
  'Records that failed': { 'given up': rare(0), unreadable: rare(0), 'to come again': rare(12) },
};

/** A line of a widget, with data. */
export interface Series {
  readonly label: string;
  readonly values: readonly number[];
}

/** Sample data for a line of a widget. A line without any is an error: it would be missing in the picture. */
export function sampleSeries(title: string, label: string): readonly Series[] {
  const shapes = SHAPES[title];
  const found = label.includes('PROP(') ? Object.entries(shapes ?? {}) : Object.entries(shapes ?? {}).filter(([name]) => name === label);
  if (found.length === 0) throw new Error(`there are no sample data for "${label}" of "${title}"`);
  return found.map(([name, shape]) => ({ label: name, values: valuesOf(shape, `${title}/${name}`) }));
}

function valuesOf({ level, wave = 0, noise = 0, burst = 0 }: Shape, name: string): number[] {
  let state = [...name].reduce((hash, character) => (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0, 7);
  return Array.from({ length: POINTS }, (_, index) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const chance = state / 4_294_967_296 - 0.5;
    const inBurst = index >= BURST_FROM && index < BURST_TO ? burst * (0.8 + 0.4 * (chance + 0.5)) : 0;
    return Math.max(0, level + wave * Math.sin((index / POINTS) * 2 * Math.PI - 1.2) + noise * 2 * chance + inBurst);
  });
}
