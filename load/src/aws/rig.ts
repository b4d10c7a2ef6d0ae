import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { ValidationError } from '@millrace/core';

/** The part of a rig that runs workers as Fargate tasks. */
export interface FargateRig {
  readonly cluster: string;
  readonly taskDefinition: string;
  readonly container: string;
  readonly capacityProvider: string;
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly publicIp: boolean;
}

/** What the construct `LoadRig` tells of itself, in one output of its stack. */
export interface Rig {
  readonly table: string;
  readonly resultsBucket: string;
  readonly functionName?: string;
  readonly fargate?: FargateRig;
}

/** The end of the output's name: its stack may hold several constructs, each with its own prefix. */
const OUTPUT = 'LoadRig';

/**
 * Reads what rig a stack holds.
 *
 * @throws ValidationError when the stack holds none
 */
export async function rigOf(stack: string): Promise<Rig> {
  const client = new CloudFormationClient({ maxAttempts: 3, requestHandler: { connectionTimeout: 5_000, requestTimeout: 20_000 } });
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    const outputs = Stacks?.[0]?.Outputs ?? [];
    const text = outputs.find(({ OutputKey }) => OutputKey?.includes(OUTPUT))?.OutputValue;
    if (text === undefined)
      throw new ValidationError(
        `stack ${stack}`,
        'one with a LoadRig (an output whose name holds LoadRig)',
        outputs.map(({ OutputKey }) => OutputKey).join(', ') || 'no outputs',
      );
    return JSON.parse(text) as Rig;
  } finally {
    client.destroy();
  }
}
