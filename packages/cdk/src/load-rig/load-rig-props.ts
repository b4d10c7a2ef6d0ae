import type { RemovalPolicy } from 'aws-cdk-lib';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import type { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import type { IManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { Architecture } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IRateLimiter } from '../rate-limiter-base.js';

/** A load rig: whom it loads, where its workers run, and how large they are. */
export interface LoadRigProps {
  /** The limiter that is loaded. Workers may acquire from it, and nothing else. */
  readonly limiter: IRateLimiter;

  /**
   * The folder that `pnpm load assets` wrote: k6 as a layer, the workers' code with the scenarios, and a Dockerfile. k6 is
   * no part of this package: its licence (AGPL) is yours to accept.
   */
  readonly workerAssets: string;

  /**
   * The processor that the assets were built for.
   *
   * @default - Architecture.ARM_64
   */
  readonly architecture?: Architecture;

  /**
   * Whether there is a function for workers.
   *
   * @default true
   */
  readonly lambdaWorkers?: boolean;

  /**
   * The function's memory, 512 to 10,240 MB. Lambda gives it processors by its memory: one at 1,769 MB.
   *
   * @default 1769
   */
  readonly lambdaMemoryMb?: number;

  /**
   * How many of its workers may run at once, so that a load test cannot take the whole account's concurrency.
   *
   * @default - no bound but the account's
   */
  readonly lambdaReservedConcurrency?: number;

  /**
   * Whether there is a task definition for workers. They run longer than a function can.
   *
   * @default true
   */
  readonly fargateWorkers?: boolean;

  /**
   * Processor units of a task, 1,024 to the core: 256, 512, 1024, 2048, 4096, 8192 or 16384.
   *
   * @default 1024
   */
  readonly fargateCpu?: number;

  /**
   * Memory of a task in MB, one of those that Fargate has for its processor units: whole gigabytes for most, 512, 1024 or 2048 for 256,
   * each fourth gigabyte for 8192 and each eighth for 16384.
   *
   * @default - 2048, or the least that Fargate has for more than 1024 processor units
   */
  readonly fargateMemoryMb?: number;

  /**
   * Whether tasks run on spare capacity: a third of the price, and AWS may take a worker away, which the report then says.
   *
   * @default true
   */
  readonly spot?: boolean;

  /**
   * The image of a task.
   *
   * @default - built from `workerAssets` by docker when the stack is deployed, and kept in the bootstrap's repository
   */
  readonly image?: ContainerImage;

  /**
   * Where tasks run, and the function if there is one here.
   *
   * @default - a network of its own, with two public subnets and no NAT gateway: it costs nothing while nobody loads. In a stack whose
   * `env` names account and region the CDK asks that account for its zones at synth
   */
  readonly vpc?: IVpc;

  /**
   * Whether the network gets a gateway endpoint for DynamoDB, so that load does not go by the internet or a NAT gateway.
   * Set it to false where the network has one: a second one cannot be made.
   *
   * @default true
   */
  readonly dynamoEndpoint?: boolean;

  /**
   * How long logs are kept.
   *
   * @default - RetentionDays.ONE_WEEK
   */
  readonly logRetention?: RetentionDays;

  /**
   * What becomes of the results' bucket when the rig goes. Objects in it expire after 30 days in any case.
   *
   * @default - RemovalPolicy.DESTROY, which CloudFormation refuses while the bucket has objects
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * A bound on what its roles may ever do.
   *
   * @default - none
   */
  readonly permissionsBoundary?: IManagedPolicy;

  /**
   * How its roles are called: `{}` stands for the names of the stack and the part.
   *
   * @default - CloudFormation names them
   */
  readonly roleNameFormat?: string;

  /**
   * Tags on all it makes.
   *
   * @default - none
   */
  readonly tags?: { readonly [key: string]: string };
}
