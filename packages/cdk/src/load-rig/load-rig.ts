import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { FargateTaskDefinition, ICluster } from 'aws-cdk-lib/aws-ecs';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledge, acknowledgePrefix } from '../acknowledgements.js';
import { formattedName } from '../name-format.js';
import { checkGiven, LIMITER_WORDS, PropChecks, shown } from '../prop-checks.js';
import { addTags } from '../tagging.js';
import { FargateWorkers } from './fargate-workers.js';
import { lambdaWorker } from './lambda-worker.js';
import type { LoadRigProps } from './load-rig-props.js';

/** Where in the bucket workers leave their figures: what the coordinator tells them. */
const RESULTS = 'runs/';
const KEEP_RESULTS = Duration.days(30);

/**
 * What a load test needs on AWS: a function and a task definition that run the same worker, and a bucket for what they
 * found. Nothing of it runs, and almost nothing costs, until `millrace load run` starts workers.
 */
export class LoadRig extends Construct {
  /** Where workers leave their figures. */
  readonly resultsBucket: IBucket;
  /** The function of workers, if there is one. */
  readonly workerFunction?: LambdaFunction;
  /** What one task is, if there are tasks. */
  readonly taskDefinition?: FargateTaskDefinition;
  /** What tasks run on, if there are any. */
  readonly cluster?: ICluster;

  constructor(scope: Construct, id: string, props: LoadRigProps) {
    super(scope, id);
    checkGiven(this, props, 'limiter', LIMITER_WORDS);
    const checks = new PropChecks(this);
    if (props.lambdaWorkers === false && props.fargateWorkers === false) {
      checks.refuse('lambdaWorkers and fargateWorkers must not both be false: the rig would have no workers');
    }
    this.checkAssets(props);
    this.resultsBucket = this.createBucket(props);
    if (props.lambdaWorkers !== false) {
      this.workerFunction = lambdaWorker(this, props, this.workerRole(props, 'lambda', checks), checks);
    }
    let fargate: FargateWorkers | undefined;
    if (props.fargateWorkers !== false) {
      fargate = new FargateWorkers(this, 'Fargate', { ...props, taskRole: this.workerRole(props, 'ecs-tasks', checks), checks });
      this.taskDefinition = fargate.taskDefinition;
      this.cluster = fargate.cluster;
    }
    new CfnOutput(this, 'LoadRig', {
      description: 'What `millrace load run --stack` reads of this rig',
      value: Stack.of(this).toJsonString(this.describe(props, fargate)),
    });
    addTags(this, checks, props.tags);
  }

  private describe(props: LoadRigProps, fargate: FargateWorkers | undefined): object {
    return {
      table: props.limiter.tableName,
      resultsBucket: this.resultsBucket.bucketName,
      ...(this.workerFunction === undefined ? {} : { functionName: this.workerFunction.functionName }),
      ...(fargate === undefined ? {} : { fargate: fargate.describe() }),
    };
  }

  /** Without its assets nothing of a rig can be made, so that the first mistake is told alone. */
  private checkAssets({ workerAssets, lambdaWorkers, fargateWorkers, image }: LoadRigProps): void {
    const needed = [...(lambdaWorkers === false ? [] : ['layer', 'function']), ...(fargateWorkers === false || image ? [] : ['image'])];
    const wanted = 'the folder that `pnpm load assets` wrote';
    if (typeof workerAssets !== 'string') throw new Error(`${this.node.path}: workerAssets must be ${wanted}, got: ${shown(workerAssets)}`);
    const missing = needed.filter((folder) => !existsSync(join(workerAssets, folder)));
    if (missing.length === 0) return;
    throw new Error(
      `${this.node.path}: workerAssets must be ${wanted}, got: '${workerAssets}', in which there is no ${missing.join(', ')}`,
    );
  }

  private createBucket(props: LoadRigProps): IBucket {
    const bucket = new Bucket(this, 'Results', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: props.removalPolicy ?? RemovalPolicy.DESTROY,
      lifecycleRules: [{ expiration: KEEP_RESULTS, abortIncompleteMultipartUploadAfter: Duration.days(1) }],
    });
    acknowledge(bucket, 'S1', 'Results of load tests are scratch: who read them need not be known.');
    return bucket;
  }

  /** What a worker may do: take from the limiter, and leave its figures. */
  private workerRole(props: LoadRigProps, service: 'lambda' | 'ecs-tasks', checks: PropChecks): IRole {
    const part = service === 'lambda' ? 'load-lambda' : 'load-task';
    const role = new Role(this, service === 'lambda' ? 'LambdaRole' : 'TaskRole', {
      assumedBy: new ServicePrincipal(`${service}.amazonaws.com`),
      description: `Load workers of ${this.node.path}`,
      roleName: formattedName(checks, this, { prop: 'roleNameFormat', format: props.roleNameFormat, part }),
      permissionsBoundary: props.permissionsBoundary,
    });
    props.limiter.grantAcquire(role);
    role.addToPrincipalPolicy(
      new PolicyStatement({ actions: ['s3:PutObject'], resources: [this.resultsBucket.arnForObjects(`${RESULTS}*`)] }),
    );
    acknowledgePrefix(
      role,
      this.resultsBucket,
      RESULTS,
      'Each run and worker leaves an object of its own, whose name nobody knows before.',
    );
    return role;
  }
}
