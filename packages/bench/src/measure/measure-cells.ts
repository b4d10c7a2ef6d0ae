import type { Terminal } from '../bench.js';
import { describeMachine, type Machine } from '../machine.js';
import { type Absence, Roster } from '../processes/roster.js';
import { progressOn } from '../progress.js';
import { openSite, type SiteOptions } from '../servers/site.js';
import { type Cell, measureCell, type Pace, type Row } from './cell.js';
import type { MeasureOptions } from './measure-options.js';

/** What was measured, and on what. */
export interface Measured {
  /** What answered: the name of an engine, or `stub`, or both. */
  readonly server: string;
  readonly machine: Machine;
  readonly pace: Pace;
  readonly rows: readonly Row[];
  readonly absences: readonly Absence[];
}

/** Where to measure, but for the round trip. */
export function siteOf({ server, engine }: MeasureOptions): Omit<SiteOptions, 'roundTripMs'> {
  return { server, ...(engine === undefined ? {} : { engine }) };
}

/** Measures every cell on a site of its own. */
export async function measureCells(cells: readonly Cell[], options: MeasureOptions, stderr: Terminal['stderr']): Promise<Measured> {
  const { contestants, pace } = options;
  const progress = progressOn(stderr, cells.length * contestants.length * pace.repetitions);
  await using roster = await Roster.start(contestants, (text) => progress.say(text));
  const rows: Row[] = [];
  const servers = new Set<string>();
  try {
    for (const cell of cells) {
      progress.say(`${cell.caseName}, ${cell.callers} callers, ${cell.roundTripMs} ms`);
      await using site = await openSite({
        ...siteOf(options),
        roundTripMs: cell.roundTripMs,
        ...(cell.server === undefined ? {} : { server: cell.server }),
      });
      servers.add(site.server);
      const warmupSeconds = rows.length === 0 ? pace.warmupSeconds : Math.min(pace.warmupSeconds, pace.seconds);
      rows.push(...(await measureCell(cell, roster, site, { ...pace, warmupSeconds }, progress.step)));
    }
    return { server: [...servers].join(', '), machine: describeMachine(), pace, rows, absences: roster.absences };
  } finally {
    progress.end();
  }
}

/** Who took no part, and why. */
export function absencesText({ absences }: Pick<Measured, 'absences'>): string {
  return absences.map(({ contestant, reason }) => `${contestant} took no part: ${reason}\n\n`).join('');
}
