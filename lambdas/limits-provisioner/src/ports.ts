import type { Clock, Sleep } from '@millrace/core';
import type { Administration } from '@millrace/limiter/admin';

/** A namespace of a table. */
export interface Place {
  readonly table: string;
  readonly namespace: string;
}

/** A place that was opened. */
export interface OpenPlace {
  readonly parts: Administration;
  close(): Promise<void>;
}

/** How the function reaches the world. */
export interface ProvisionerParts {
  /** Opens a namespace, and registers it first if it is not there and `register` says so. */
  readonly open: (place: Place, options: { readonly register: boolean; readonly actor: string }) => Promise<OpenPlace>;
  /** Sends an answer to where CloudFormation waits for it, and repeats that if need be. */
  readonly answer: (url: string, text: string) => Promise<void>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
  /** Waits; ends at once when the signal says so. */
  readonly sleep: Sleep;
  readonly clock: Clock;
  /**
   * Whose limits the function looks after. Asked for only when it is needed: an environment that is wrong must not keep
   * CloudFormation waiting.
   */
  readonly home: () => Home;
}

/** The table that the function has access to, and what is compared where nobody says anything else. */
export interface Home extends Place {
  /** The name of the manifest. */
  readonly manifest: string;
}
