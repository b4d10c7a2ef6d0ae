import { type EngineOptions, TECHNIQUES, type Technique } from '@millrace/limiter/engine';
import type { Call } from './schedule.js';

/** Something that the engine can do with and without, and a run can be made without. */
export interface SimulatedTechnique {
  readonly name: string;
  /**
   * What it is for. One that saves `writes` may not take more of them; one for `losses`, or for `speed`, may. One for
   * `callers` admits others instead, and one for `load` may. Where nothing takes time and nothing is lost, no other may change who is admitted.
   */
  readonly serves: 'writes' | 'losses' | 'speed' | 'callers' | 'load';
  /** What an engine is made of that has it, or has not. */
  readonly engine?: (isOn: boolean, options: EngineOptions) => EngineOptions;
  /** What a caller asks of an engine that has not. */
  readonly withoutIt?: (call: Call) => Call;
}

const SERVES = { groupCommit: 'writes', localRejections: 'writes', requestIds: 'losses' } as const satisfies Record<Technique, unknown>;

/**
 * All that an engine has unless it is told otherwise. A new one is one more line; what it has only if it is asked for is in
 * `differential.ts`. The lean transport is none of them: it is below the store that this world is made of, and is held
 * against the SDK's own bytes where it lives (packages/limiter/src/dynamo/lean, and the contract of all stores).
 */
export const techniques: readonly SimulatedTechnique[] = [
  ...TECHNIQUES.map((name) => ({
    name,
    serves: SERVES[name],
    engine: (isOn: boolean, options: EngineOptions) => ({ ...options, techniques: { ...options.techniques, [name]: isOn } }),
  })),
  { name: 'hedging', serves: 'speed', engine: (isOn, options) => ({ ...options, hedging: isOn }) },
  { name: 'shards', serves: 'load', engine: (isOn, options) => (isOn ? options : { ...options, sharding: { maxShards: 1 } }) },
  { name: 'waiting', serves: 'callers', withoutIt: (call) => ({ ...call, waitMs: 0 }) },
];

/** What an engine is made of that has all techniques but those that are named. */
export function engineOptions(options: EngineOptions, without: readonly string[]): EngineOptions {
  return techniques.reduce((made, { name, engine }) => engine?.(!without.includes(name), made) ?? made, options);
}

/** What a caller asks where the engine has not those that are named. */
export function callFor(call: Call, without: readonly string[]): Call {
  return techniques.reduce((asked, { name, withoutIt }) => (without.includes(name) ? (withoutIt?.(asked) ?? asked) : asked), call);
}
