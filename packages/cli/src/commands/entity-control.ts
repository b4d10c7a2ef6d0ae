import type { EntityControl, RateLimiter } from '@millrace/limiter';
import type { Command } from 'commander';
import { withLimiter } from '../connection.js';
import { parseAmounts } from '../parse/amounts.js';
import { figure } from '../render/figures.js';
import { type Answer, addCommand, answering, type Cli } from '../session.js';

interface ReasonFlag {
  readonly reason?: string;
}

/** The commands that change how an entity is treated, and what is left in its buckets. */
export function addControls(entity: Command, cli: Cli): void {
  addMode(
    entity,
    cli,
    'disable',
    'refuse every acquire on an entity, and on those that cascade to it',
    'millrace entity disable key-1 --reason "unpaid bill"',
  );
  addMode(entity, cli, 'bypass', 'admit every acquire on an entity without counting it', 'millrace entity bypass key-1');
  addMode(entity, cli, 'shadow', 'decide and count every acquire on an entity, and refuse none', 'millrace entity shadow key-1');
  addCommand(entity, 'enable <entity>', 'end disable, bypass or shadow: treat it as its limits say', 'millrace entity enable key-1').action(
    answering(cli, (session, id: string) =>
      withLimiter(session, async (limiter) => {
        await limiter.entities.enable(id);
        return controlled(limiter, id);
      }),
    ),
  );
  addCommand(entity, 'reset <entity> <resource>', 'make all its limits on a resource full', 'millrace entity reset key-1 gpt-4').action(
    answering(cli, (session, id: string, resource: string) =>
      withLimiter(session, async (limiter) => {
        await limiter.entities.reset(id, resource);
        return { json: { entity: id, resource, reset: true }, text: () => `entity ${id} has full buckets on ${resource}\n` };
      }),
    ),
  );
  addCommand(
    entity,
    'grant <entity> <resource> <amounts...>',
    'give it tokens now, up to a full bucket',
    'millrace entity grant key-1 gpt-4 tpm=50000',
  ).action(
    answering(cli, (session, id: string, resource: string, texts: readonly string[]) => {
      const amounts = parseAmounts(texts);
      return withLimiter(session, async (limiter) => {
        const granted = await limiter.entities.grant(id, resource, amounts);
        const added = Object.entries(amounts).map(([limit, asked]) => {
          const tokens = granted[limit] ?? 0;
          return tokens < asked ? `${limit} ${figure(tokens)} of ${figure(asked)}, as it is full then` : `${limit} ${figure(tokens)}`;
        });
        return {
          json: { entity: id, resource, granted, asked: amounts },
          text: () => `granted entity ${id} on ${resource}: ${added.join('; ')}\n`,
        };
      });
    }),
  );
}

function addMode(entity: Command, cli: Cli, mode: 'disable' | 'bypass' | 'shadow', does: string, example: string): void {
  addCommand(entity, `${mode} <entity>`, does, example)
    .option('--reason <text>', mode === 'disable' ? 'why; callers that are refused are told' : 'why')
    .action(
      answering(cli, (session, id: string, { reason }: ReasonFlag) =>
        withLimiter(session, async (limiter) => {
          await limiter.entities[mode](id, reason === undefined ? {} : { reason });
          return controlled(limiter, id);
        }),
      ),
    );
}

async function controlled(limiter: RateLimiter, id: string): Promise<Answer> {
  const control = await limiter.entities.control(id);
  return { json: { entity: id, control }, text: () => `entity ${id} is ${STATES[control.mode]}\n` };
}

const STATES: Readonly<Record<EntityControl['mode'], string>> = {
  enforce: 'treated as its limits say',
  shadow: 'in shadow mode: decided and counted, never refused',
  bypass: 'bypassed: admitted without being counted',
  disabled: 'disabled: every acquire is refused',
};
