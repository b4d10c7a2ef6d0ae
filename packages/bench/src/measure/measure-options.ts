import type { EngineName } from '@millrace/testing';
import { namesOf, numberOf, wholesOf } from '../arguments.js';
import { CONTESTANTS, type ContestantName } from '../processes/protocol.js';
import type { ServerKind } from '../servers/site.js';
import type { Pace } from './cell.js';

const ENGINES: readonly EngineName[] = ['dynoxide', 'extenddb', 'dynamodb-local'];

/** Who is measured, against what, and for how long. */
export interface MeasureOptions {
  readonly contestants: readonly ContestantName[];
  readonly server: ServerKind;
  readonly engine?: EngineName;
  readonly pace: Pace;
}

/** The options that every bench has that measures, as `parseArgs` wants them. */
export const MEASURE_OPTIONS = {
  contestants: { type: 'string' },
  server: { type: 'string' },
  engine: { type: 'string' },
  seconds: { type: 'string' },
  warmup: { type: 'string' },
  repetitions: { type: 'string' },
  quick: { type: 'boolean' },
} as const;

export const MEASURE_USAGE = `  --contestants a,b   some of ${CONTESTANTS.join(',')} (all)
  --server s          engine: a local DynamoDB engine (default); stub: answers at once, so that the client is what is measured
  --engine e          ${ENGINES.join(', ')} (the first that is installed)
  --seconds N         how long each repetition runs (0.5)
  --warmup N          how long each runs before its first case is measured, while it is compiled (5); a repetition before each other
  --repetitions N     how many of them, in turns; tables show medians (3)
`;

/** What they were given. */
export type MeasureValues = {
  readonly [K in keyof typeof MEASURE_OPTIONS]?: (typeof MEASURE_OPTIONS)[K]['type'] extends 'string' ? string : boolean;
};

/** Reads them. */
export function measureOptions(given: MeasureValues): MeasureOptions {
  const { quick = false } = given;
  const seconds = numberOf('seconds', given.seconds, quick ? 0.2 : 0.5, 0.05, 600);
  const [server = 'engine'] = namesOf<ServerKind>('server', given.server ?? 'engine', ['engine', 'stub']);
  const [engine] = given.engine === undefined ? [] : namesOf('engine', given.engine, ENGINES);
  const [repetitions = 3] = wholesOf('repetitions', given.repetitions, [quick ? 1 : 3], 1, 100);
  return {
    contestants: namesOf('contestants', given.contestants, CONTESTANTS),
    server,
    ...(engine === undefined ? {} : { engine }),
    pace: { seconds, warmupSeconds: numberOf('warmup', given.warmup, quick ? 0.5 : 5, 0, 600), repetitions },
  };
}
