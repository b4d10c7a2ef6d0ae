import { Stack, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { PropChecks } from './prop-checks.js';

const PLACE = '{}';
const MAX_ROLE_NAME = 64;

/**
 * The name that a format gives a role or a policy of this limiter: `{}` stands for the name of the stack and of the part.
 * Undefined where there is no format, or a wrong one, which is told. The same stack with two limiters wants two formats.
 */
export function formattedName(
  checks: PropChecks,
  scope: IConstruct,
  { prop, format, part, most = MAX_ROLE_NAME }: { prop: string; format: string | undefined; part: string; most?: number },
): string | undefined {
  if (format === undefined) return undefined;
  if (Token.isUnresolved(format)) return checks.refuse(`${prop} must be known at synth, since names are made of it, got a token`);
  if (format.split(PLACE).length !== 2 || !/^[\w+=,.@-]+$/.test(format.replace(PLACE, ''))) {
    if (format !== PLACE) return checks.refuse(`${prop} must hold {} once, beside letters, digits and +=,.@_-, got: '${format}'`);
  }
  const { stackName } = Stack.of(scope);
  const name = format.replace(PLACE, `${stackName}-${part}`);
  if (Token.isUnresolved(stackName) || name.length <= most) return name;
  return checks.refuse(`${prop} makes the name '${name}', which must have at most ${most} characters, got: ${name.length}`);
}
