import { answerText, type Outcome } from './answer.js';
import { messageOf } from './apply-in-time.js';
import { type InspectReport, inspect } from './inspect.js';
import { carryOut, failedId } from './lifecycle.js';
import type { ProvisionerParts } from './ports.js';
import { checkRequest, isStackEvent, type StackRequest } from './request.js';
import { type InvocationContext, TimeBudget } from './time-budget.js';

/** The function behind the resource. A report comes back only where it was asked for one. */
export type Provisioner = (event: unknown, context: InvocationContext) => Promise<InspectReport | undefined>;

/**
 * Makes the function that keeps limits as a stack says.
 *
 * - A request of CloudFormation is carried out and answered, whatever happens: a failure with its reason, in time, within
 *   the size that is read. Only where the answer itself cannot be sent does the invocation fail, so that Lambda tries again.
 * - `{ action: 'drift' }` and `{ action: 'plan' }` are answered with a report, and change nothing.
 */
export function makeProvisioner(parts: ProvisionerParts): Provisioner {
  return async (event, context) => {
    const budget = new TimeBudget(context);
    if (!isStackEvent(event)) return inspect(event, parts, budget);
    const request = checkRequest(event);
    const outcome = await outcomeOf(request, parts, budget);
    const text = answerText(request, outcome.ok ? outcome : { ...outcome, reason: `${outcome.reason}${whereLogged(context)}` });
    parts.log({ event: 'answer', request: request.type, requestId: request.requestId, stackId: request.stackId, ...outcome });
    await parts.answer(request.responseUrl, text);
    return undefined;
  };
}

async function outcomeOf(request: StackRequest, parts: ProvisionerParts, budget: TimeBudget): Promise<Outcome> {
  try {
    return await budget.within('the request was carried out', parts.sleep, carryOut({ request, parts, budget }));
  } catch (error) {
    // What was given up may have written: the name is that of something that is there.
    return { ok: false, physicalId: failedId(request, false), reason: messageOf(error) };
  }
}

function whereLogged({ logGroupName: group, logStreamName: stream }: InvocationContext): string {
  return group === undefined || stream === undefined ? '' : ` (log: ${group}, ${stream})`;
}
