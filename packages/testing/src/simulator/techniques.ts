import { type EngineOptions, TECHNIQUES } from '@millrace/limiter/engine';
import type { Call } from './schedule.js';

/** Something that the engine can do with and without, and a run can be made without. */
export interface SimulatedTechnique {
  readonly name: string;
  /** What an engine is made of that has it, or has not. */
  readonly engine?: (isOn: boolean, options: EngineOptions) => EngineOptions;
  /** What it is for never happens where nothing is lost, so there nothing may change at all. */
  readonly isForLosses?: boolean;
  /** It changes whom the engine admits. The others only save requests, or answers. */
  readonly isDeciding?: boolean;
  /** What a caller asks of an engine that has not. */
  readonly withoutIt?: (call: Call) => Call;
}

/** All of them. A new one is one more line. */
export const techniques: readonly SimulatedTechnique[] = [
  ...TECHNIQUES.map((name) => ({
    name,
    isForLosses: name === 'requestIds',
    engine: (isOn: boolean, options: EngineOptions) => ({ ...options, techniques: { ...options.techniques, [name]: isOn } }),
  })),
  { name: 'waiting', isDeciding: true, withoutIt: (call) => ({ ...call, waitMs: 0 }) },
];

/** What an engine is made of that has all techniques but those that are named. */
export function engineOptions(options: EngineOptions, without: readonly string[]): EngineOptions {
  return techniques.reduce((made, { name, engine }) => engine?.(!without.includes(name), made) ?? made, options);
}

/** What a caller asks where the engine has not those that are named. */
export function callFor(call: Call, without: readonly string[]): Call {
  return techniques.reduce((asked, { name, withoutIt }) => (without.includes(name) ? (withoutIt?.(asked) ?? asked) : asked), call);
}
