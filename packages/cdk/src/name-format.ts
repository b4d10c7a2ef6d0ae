import { Stack, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { PropChecks } from './prop-checks.js';

const PLACE = '{}';
const MAX_ROLE_NAME = 64;

/** What is named. Within a role a policy needs another name than the role's others only. */
interface Named {
  readonly prop: string;
  readonly format: string | undefined;
  readonly part: string;
  readonly most?: number;
  readonly isWithinRole?: boolean;
}

/** The names that formats have given in each stack, and to what. */
const taken = new WeakMap<Stack, Map<string, string>>();

/**
 * The name that a format gives a role or a policy of this limiter: `{}` stands for the name of the stack and of the part.
 * Undefined where there is no format, or a wrong one, which is told. The same stack with two limiters wants two formats.
 */
export function formattedName(
  checks: PropChecks,
  scope: IConstruct,
  { prop, format, part, most = MAX_ROLE_NAME, isWithinRole = false }: Named,
): string | undefined {
  if (format === undefined) return undefined;
  if (Token.isUnresolved(format)) return checks.refuse(`${prop} must be known at synth, since names are made of it, got a token`);
  if (format.split(PLACE).length !== 2 || !/^[\w+=,.@-]+$/.test(format.replace(PLACE, ''))) {
    if (format !== PLACE) return checks.refuse(`${prop} must hold {} once, beside letters, digits and +=,.@_-, got: '${format}'`);
  }
  const { stackName } = Stack.of(scope);
  const name = format.replace(PLACE, `${stackName}-${part}`);
  if (!isWithinRole) checkFree(checks, scope, prop, name);
  if (Token.isUnresolved(stackName) || name.length <= most) return name;
  return checks.refuse(`${prop} makes the name '${name}', which must have at most ${most} characters, got: ${name.length}`);
}

/** A deployment with two of a name fails, after minutes. Of other stacks nobody knows here whether they are of the same account. */
function checkFree(checks: PropChecks, scope: IConstruct, prop: string, name: string): void {
  const stack = Stack.of(scope);
  const names = taken.get(stack) ?? new Map<string, string>();
  taken.set(stack, names);
  const key = `${prop} ${name}`;
  const other = names.get(key);
  if (other !== undefined) checks.refuse(`${prop} must make names that nothing else in the stack has, got: '${name}', as ${other} has`);
  names.set(key, scope.node.path);
}
