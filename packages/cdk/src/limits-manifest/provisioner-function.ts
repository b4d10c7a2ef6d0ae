import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledgements.js';
import { lambdaCode } from '../lambda-assets.js';
import { formattedName } from '../name-format.js';
import type { PropChecks } from '../prop-checks.js';
import type { LimitsManifestProps } from './limits-manifest-props.js';
import type { ManifestText } from './manifest-text.js';

const MIN_TIMEOUT_SEC = 60;
const MAX_TIMEOUT_SEC = 900;
/** What is between the end of the function and its answer having arrived. */
const ANSWER = Duration.minutes(1);
/** A request waits in Lambda's queue for as long as two runs take: one that died is tried again, and a stale one is not. */
const RUNS_WAITED = 2;

/** The function that makes the limits, with its logs. */
export interface ProvisionerFunction {
  readonly handler: LambdaFunction;
  readonly logGroup: ILogGroup;
  readonly role: IRole;
  /** After how long CloudFormation waits no longer: when no run can come any more. */
  readonly serviceTimeout: Duration;
}

/** Makes the function, with a role that may do nothing yet but log. */
export function provisionerFunction(
  scope: Construct,
  props: LimitsManifestProps,
  manifest: ManifestText | undefined,
  checks: PropChecks,
): ProvisionerFunction {
  const logGroup = new LogGroup(scope, 'Logs', {
    retention: props.logRetention ?? RetentionDays.ONE_MONTH,
    // What was done is in the audit log as well, which stays.
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = roleOf(scope, props, checks);
  logGroup.grantWrite(role);
  const timeout = checks.seconds('timeout', props.timeout, MIN_TIMEOUT_SEC, MAX_TIMEOUT_SEC) ?? Duration.minutes(5);
  const handler = new LambdaFunction(scope, 'Handler', {
    description: 'Makes the limits of a Millrace table as a stack says',
    code: lambdaCode('limits-provisioner'),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_22_X,
    architecture: Architecture.ARM_64,
    memorySize: checks.wholeNumber('memorySize', props.memorySize, 128, 3_008) ?? 256,
    timeout,
    environment: {
      MILLRACE_TABLE: props.limiter.tableName,
      MILLRACE_NAMESPACE: manifest?.namespace ?? 'default',
      MILLRACE_MANIFEST: manifest?.name ?? 'default',
    },
    logGroup,
    role,
  });
  acknowledge(handler, 'L1', 'Node.js 22 is what the function was built for and tested with.');
  const waited = Duration.seconds(RUNS_WAITED * timeout.toSeconds());
  handler.configureAsyncInvoke({ maxEventAge: waited, retryAttempts: 2 });
  return { handler, logGroup, role, serviceTimeout: waited.plus(timeout).plus(ANSWER) };
}

function roleOf(scope: Construct, props: LimitsManifestProps, checks: PropChecks): IRole {
  const { role, permissionsBoundary, roleNameFormat } = props;
  const why = 'it is about the role that is made where none is given';
  checks.notBoth('role', role !== undefined, 'permissionsBoundary', permissionsBoundary !== undefined, why);
  checks.notBoth('role', role !== undefined, 'roleNameFormat', roleNameFormat !== undefined, why);
  return (
    role ??
    new Role(scope, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `Makes the limits of ${scope.node.path}`,
      roleName: formattedName(checks, scope, { prop: 'roleNameFormat', format: roleNameFormat, part: 'limits' }),
      permissionsBoundary,
    })
  );
}
