import type { Command } from 'commander';
import { withLimiter } from '../connection.js';
import { parseLimits } from '../parse/limits.js';
import { addCommand, answering, type Cli } from '../session.js';
import { collect, LIMITS_HELP, type LimitFlags } from './level-answers.js';
import { inUse, leftTable, levelsLeft, reserveNote } from './levels-left.js';

/** `millrace available`: what one request could take now. */
export function addAvailable(program: Command, cli: Cli): void {
  addCommand(
    program,
    'available <entity> <resource>',
    'show what one request could take now, at each level; takes nothing',
    'millrace available key-1 gpt-4',
  )
    .option('--limit <limit>', `instead of those stored, ${LIMITS_HELP}`, collect)
    .action(
      answering(cli, (session, entity: string, resource: string, { limit }: LimitFlags) => {
        const own = limit === undefined ? undefined : parseLimits(limit);
        return withLimiter(session, async (limiter) => {
          const available = await limiter.available(entity, resource, own === undefined ? {} : { limits: own });
          const { levels } = await levelsLeft(limiter, entity, resource, own);
          return {
            json: { entity, resource, available, levels },
            text: (style) => leftTable(levels, style),
            ...reserveNote(inUse(levels)),
          };
        });
      }),
    );
}
