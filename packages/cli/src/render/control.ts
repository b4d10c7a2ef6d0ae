import type { EntityControl } from '@millrace/limiter';

const MODES: Readonly<Record<EntityControl['mode'], string>> = {
  enforce: 'limited as its limits say',
  shadow: 'in shadow mode: decided and counted, never refused',
  bypass: 'bypassed: not limited, not counted',
  disabled: 'disabled: every acquire is refused',
};

/** How an entity is treated, in words, with the reason if one was given. */
export function treatedAs({ mode, reason }: EntityControl): string {
  return reason === undefined ? MODES[mode] : `${MODES[mode]} (${reason})`;
}
