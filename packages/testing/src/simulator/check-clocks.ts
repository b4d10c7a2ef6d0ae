import type { World } from './world.js';

/** A reply says a whole second, and an error below a quarter of one is left as it is (ADR 0018). */
const RESOLUTION_US = 1_250_000;
const LATE_US = 300_000;
/** A clock that is ahead goes at half its speed until it is right: twice as long as the largest error of these worlds. */
const SETTLED_US = 6_000_000;

/**
 * Writes that carry a time which what replies prove should have set right, once a process has heard some and had the time to
 * slow down. Its clock is wrong by the same amount all the time.
 */
export function clockErrors({ history, scenario }: World): string[] {
  const mayBeUs = RESOLUTION_US + 2 * scenario.maxDelayUs;
  // What was sent a second time, or arrives twice, says when it was sent first.
  const lateUs = LATE_US + 3 * scenario.maxDelayUs;
  const firstUs = new Map<number, number>();
  const wrong: string[] = [];
  for (const { atUs, client, write } of history.executed) {
    const sinceUs = firstUs.get(client) ?? atUs;
    firstUs.set(client, sinceUs);
    const errorUs = write.nowUs - atUs;
    const isRight = errorUs <= mayBeUs && errorUs >= -mayBeUs - lateUs;
    if (atUs - sinceUs > SETTLED_US && !isRight) wrong.push(`the clock of process ${client} is wrong by ${errorUs} us at ${atUs}`);
  }
  return wrong;
}
