import type { Command } from 'commander';
import { withLimiter } from '../connection.js';
import { CliFailure } from '../failure.js';
import { addCommand, addGroup, answering, type Cli } from '../session.js';
import { collect, deleteLevel, getLevel, LIMITS_HELP, type LimitFlags, setLevel } from './level-answers.js';

const SYSTEM = { level: 'system' } as const;

/** `millrace system`: what holds where nothing nearer does. */
export function addSystem(program: Command, cli: Cli): void {
  const system = addGroup(program, 'system', 'what holds for the whole namespace where nothing nearer says otherwise');
  const limits = addGroup(system, 'limits', 'the limits of every entity and resource that has no others');
  addCommand(limits, 'set [limits...]', 'store limits in place of those there are', 'millrace system limits set rpm:60/min')
    .option('--limit <limit>', LIMITS_HELP, collect)
    .action(answering(cli, (session, texts: readonly string[], flags: LimitFlags) => setLevel(session, SYSTEM, texts, flags)));
  addCommand(limits, 'get', 'show them', 'millrace system limits get').action(answering(cli, (session) => getLevel(session, SYSTEM)));
  addCommand(limits, 'delete', 'take them away', 'millrace system limits delete --yes').action(
    answering(cli, (session) => deleteLevel(session, SYSTEM, 'system')),
  );

  const policies = ['block', 'allow', 'unset'] as const;
  addCommand(
    system,
    'on-unavailable [policy]',
    'show or set what callers do when DynamoDB cannot be reached: block, allow, or unset for the default (block)',
    'millrace system on-unavailable allow',
  ).action(
    answering(cli, (session, policy: string | undefined) => {
      const wanted = policies.find((known) => known === policy);
      if (policy !== undefined && wanted === undefined)
        throw new CliFailure('USAGE', `the policy must be one of ${policies.join(', ')}, got "${policy}"`);
      return withLimiter(session, async (limiter) => {
        if (wanted !== undefined) await limiter.limits.setOnUnavailable(wanted === 'unset' ? undefined : wanted);
        const stored = await limiter.limits.getOnUnavailable();
        return {
          json: { onUnavailable: stored ?? null },
          text: () => (stored === undefined ? 'nothing is stored: callers block unless they say otherwise\n' : `${stored}\n`),
        };
      });
    }),
  );
}
