import type { Command } from 'commander';
import { EXIT_CODES } from '../exit-codes.js';
import type { Cli } from '../session.js';
import { addAcquire } from './acquire.js';
import { addAudit } from './audit.js';
import { addAvailable } from './available.js';
import { addCost } from './cost.js';
import { addDoctor } from './doctor.js';
import { addEntity } from './entity.js';
import { addExplain } from './explain.js';
import { addLimits } from './limits.js';
import { addLoad } from './load.js';
import { addNamespace } from './namespace.js';
import { addResource } from './resource.js';
import { addSystem } from './system.js';
import { addTable } from './table.js';
import { addUsage } from './usage.js';

/** Adds every command, in the order in which help names them. */
export function addCommands(program: Command, cli: Cli): void {
  addTable(program, cli);
  addEntity(program, cli);
  addResource(program, cli);
  addSystem(program, cli);
  addNamespace(program, cli);
  addLimits(program, cli);
  addAcquire(program, cli);
  addAvailable(program, cli);
  addExplain(program, cli);
  addUsage(program, cli);
  addAudit(program, cli);
  addCost(program, cli);
  addDoctor(program, cli);
  addLoad(program);
  // `millrace help exit-codes` and `millrace exit-codes`: help knows commands only.
  program
    .command('exit-codes', { hidden: true })
    .configureHelp({ formatHelp: () => EXIT_CODES })
    .action(() => void cli.terminal.out.write(EXIT_CODES));
}
