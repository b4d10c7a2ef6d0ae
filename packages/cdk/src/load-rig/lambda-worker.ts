import { join } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledgements.js';
import type { PropChecks } from '../prop-checks.js';
import type { LoadRigProps } from './load-rig-props.js';

/** One whole processor. */
const DEFAULT_MEMORY_MB = 1_769;
const [MIN_MEMORY_MB, MAX_MEMORY_MB] = [512, 10_240];

/** The longest that Lambda has: a test that takes longer is handed from worker to worker. */
const TIMEOUT = Duration.minutes(15);

/** The function that is one worker of a load test at each invocation. */
export function lambdaWorker(scope: Construct, props: LoadRigProps, role: IRole, checks: PropChecks): LambdaFunction {
  const architecture = props.architecture ?? Architecture.ARM_64;
  const logGroup = new LogGroup(scope, 'LambdaLogs', {
    retention: props.logRetention ?? RetentionDays.ONE_WEEK,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  role.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logGroup.logGroupArn] }),
  );
  const k6 = new LayerVersion(scope, 'K6', {
    code: Code.fromAsset(join(props.workerAssets, 'layer')),
    compatibleArchitectures: [architecture],
    description: 'k6',
  });
  const reserved = checks.wholeNumber('lambdaReservedConcurrency', props.lambdaReservedConcurrency, 1, 10_000);
  const handler = new LambdaFunction(scope, 'Worker', {
    description: 'One worker of a load test',
    runtime: Runtime.NODEJS_22_X,
    architecture,
    handler: 'index.handler',
    code: Code.fromAsset(join(props.workerAssets, 'function')),
    layers: [k6],
    role,
    logGroup,
    memorySize: checks.wholeNumber('lambdaMemoryMb', props.lambdaMemoryMb, MIN_MEMORY_MB, MAX_MEMORY_MB) ?? DEFAULT_MEMORY_MB,
    timeout: TIMEOUT,
    // A worker that failed must not be run again by Lambda: its share would come late, beside nobody.
    retryAttempts: 0,
    ...(reserved === undefined ? {} : { reservedConcurrentExecutions: reserved }),
  });
  acknowledge(handler, 'L1', 'Node.js 22 is what the function was built for and tested with.');
  return handler;
}
