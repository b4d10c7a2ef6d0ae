import { ValidationError } from '@millrace/core';
import { SCENARIOS, type Scenario, type Workload, workloadOf } from '@millrace/cost';
import type { Command } from 'commander';
import { parseNumber, parsePerMonth, parseShare } from '../parse/rate.js';

type Parse = (option: string, text: string) => number;

/** A figure of a workload as an option: what is typed, how it is read, and what it says. */
interface WorkloadFlag {
  readonly figure: keyof Workload;
  readonly option: string;
  readonly placeholder: string;
  readonly parse: Parse;
  readonly says: string;
}

const flag = (figure: keyof Workload, option: string, placeholder: string, parse: Parse, says: string): WorkloadFlag => {
  return { figure, option, placeholder, parse, says };
};

const FLAGS: readonly WorkloadFlag[] = [
  flag('acquiresPerMonth', 'acquires', 'rate', parsePerMonth, 'acquires: 10000/hour, 1000000/day'),
  flag('limits', 'limits', 'n', parseNumber, 'limits of a bucket'),
  flag('limitNameBytes', 'limit-name', 'bytes', parseNumber, 'how long the name of a limit is'),
  flag('keyNameBytes', 'key-name', 'bytes', parseNumber, 'how long the names of entity and resource are together'),
  flag('depth', 'depth', 'n', parseNumber, 'levels that a cascading acquire is charged at'),
  flag('cascadeShare', 'cascade', 'share', parseShare, 'acquires that cascade: 0.5 or 50%'),
  flag('wrongFormShare', 'wrong-forms', 'share', parseShare, 'writes refused for their form, to each that lands'),
  flag('refusedShare', 'refused', 'share', parseShare, 'acquires that are refused'),
  flag('refusedLocallyShare', 'refused-locally', 'share', parseShare, 'of those, the ones that make no request'),
  flag('acquiresPerWrite', 'acquires-per-write', 'n', parseNumber, 'acquires that share a write (group commit, prefetch)'),
  flag('adjustsPerAcquire', 'adjusts', 'n', parseNumber, 'adjustments to an acquire'),
  flag(
    'configMissShare',
    'config-misses',
    'share',
    parseShare,
    'acquires that read the configuration; unless given, what ttl and processes make of it',
  ),
  flag('configTtlSec', 'config-ttl', 'sec', parseNumber, 'life of what is remembered'),
  flag('processes', 'processes', 'n', parseNumber, 'processes that acquire'),
  flag('entities', 'entities', 'n', parseNumber, 'entities that acquire'),
  flag('resources', 'resources', 'n', parseNumber, 'resources that are acquired'),
  flag('usageWindows', 'usage-windows', 'n', parseNumber, 'windows of the usage ledger, 0 for none'),
  flag('usageBatchRecords', 'usage-batch', 'n', parseNumber, 'records of a batch of the ledger, at most'),
  flag('usageBatchSec', 'usage-batch-window', 'sec', parseNumber, 'how long a batch of the ledger may fill'),
  flag('lambdaMemoryMb', 'lambda-memory', 'mb', parseNumber, 'memory of the ledger'),
  flag('lambdaMsPerBatch', 'lambda-time', 'ms', parseNumber, 'how long a batch takes'),
  flag('storageGb', 'storage', 'gb', parseNumber, 'what the table holds; unless given, a kilobyte for each bucket'),
  flag('streamReadsPerMonth', 'stream-reads', 'rate', parsePerMonth, "reads of the stream by programs of one's own: 4/second"),
];

/** What commander makes of the options. */
export interface CostFlags {
  readonly scenario?: string;
  readonly prices?: string;
  readonly targetUtilisation?: string;
  readonly fallbacks?: string;
  readonly compare?: boolean;
  readonly configCache?: boolean;
  readonly [option: string]: string | boolean | undefined;
}

/** Adds an option for each figure of a workload. */
export function addWorkloadFlags(command: Command): Command {
  for (const { option, placeholder, says } of FLAGS) command.option(`--${option} <${placeholder}>`, says);
  return command;
}

/** The scenario that was named, if one was. */
export function scenarioOf({ scenario: name }: CostFlags): Scenario | undefined {
  if (name === undefined) return undefined;
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario === undefined) {
    throw new ValidationError('option "scenario"', `one of ${SCENARIOS.map((each) => each.name).join(', ')}`, name);
  }
  return scenario;
}

/** The workload that was typed: the scenario's, with what else was given in place of its figures. */
export function workloadFrom(flags: CostFlags): Workload {
  const given: Partial<Record<keyof Workload, number>> = {};
  for (const { figure, option, parse } of FLAGS) {
    const text = flags[keyOf(option)];
    if (typeof text === 'string') given[figure] = parse(option, text);
  }
  return workloadOf({ ...scenarioOf(flags)?.workload, ...given });
}

/** The name by which commander keeps an option: `refused-locally` is `refusedLocally`. */
function keyOf(option: string): string {
  return option.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
