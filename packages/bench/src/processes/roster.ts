import { fileURLToPath } from 'node:url';
import { ClientProcess } from './client-process.js';
import type { ContestantName } from './protocol.js';
import { findPeerPython } from './python.js';

/** Why somebody who was asked for does not take part. */
export interface Absence {
  readonly contestant: ContestantName;
  readonly reason: string;
}

/** The processes of all who take part; they live as long as the bench, so that all of them are warm. */
export class Roster implements AsyncDisposable {
  readonly clients = new Map<ContestantName, ClientProcess>();
  readonly absences: Absence[] = [];

  /** Starts a process for each. zae-limiter needs Python and its package; where it has neither, it is absent. */
  static async start(names: readonly ContestantName[], say: (text: string) => void): Promise<Roster> {
    const roster = new Roster();
    for (const name of names) {
      if (name !== 'zae-limiter') {
        roster.clients.set(name, new ClientProcess(process.execPath, [fileURLToPath(new URL('client-main.js', import.meta.url))]));
        continue;
      }
      const found = await findPeerPython(say);
      if ('reason' in found) roster.absences.push({ contestant: name, reason: found.reason });
      else roster.clients.set(name, new ClientProcess(found.python, ['-u', found.script]));
    }
    return roster;
  }

  /** Takes somebody off the list for the rest of the bench. */
  async drop(contestant: ContestantName, reason: string): Promise<void> {
    this.absences.push({ contestant, reason });
    await this.clients.get(contestant)?.[Symbol.asyncDispose]();
    this.clients.delete(contestant);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.clients.values()].map((client) => client[Symbol.asyncDispose]()));
  }
}
