import { join } from 'node:path';
import { RemovalPolicy } from 'aws-cdk-lib';
import { GatewayVpcEndpointAwsService, type ISubnet, type IVpc, Peer, Port, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  Cluster,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateTaskDefinition,
  LogDrivers,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledgements.js';
import { formattedName } from '../name-format.js';
import type { PropChecks } from '../prop-checks.js';
import { fargateSize } from './fargate-size.js';
import type { LoadRigProps } from './load-rig-props.js';

const CONTAINER = 'k6';

/** What the tasks are made of, beside the rig's props. */
export interface FargateWorkersProps extends LoadRigProps {
  /** What a worker may do. */
  readonly taskRole: IRole;
  /** Where wrong props are told. */
  readonly checks: PropChecks;
}

/** Workers that are Fargate tasks. There is no service: the coordinator starts as many as a run needs. */
export class FargateWorkers extends Construct {
  /** Where the tasks run. */
  readonly vpc: IVpc;
  /** What they run on. */
  readonly cluster: Cluster;
  /** What one of them is. */
  readonly taskDefinition: FargateTaskDefinition;
  /** Lets nothing in. */
  readonly securityGroup: SecurityGroup;
  private readonly capacityProvider: string;
  private readonly subnets: ISubnet[];
  private readonly hasPublicIp: boolean;

  constructor(scope: Construct, id: string, props: FargateWorkersProps) {
    super(scope, id);
    this.vpc = props.vpc ?? this.createVpc();
    if (props.dynamoEndpoint ?? true) this.vpc.addGatewayEndpoint('DynamoDb', { service: GatewayVpcEndpointAwsService.DYNAMODB });
    this.cluster = new Cluster(this, 'Cluster', {
      vpc: this.vpc,
      enableFargateCapacityProviders: true,
      containerInsightsV2: ContainerInsights.ENABLED,
    });
    this.capacityProvider = (props.spot ?? true) ? 'FARGATE_SPOT' : 'FARGATE';
    // Private subnets that reach the image and the logs where there are some; else public ones, each task with an address.
    const withNat = this.vpc.privateSubnets;
    this.hasPublicIp = withNat.length === 0;
    this.subnets = this.hasPublicIp ? this.vpc.publicSubnets : withNat;
    this.securityGroup = new SecurityGroup(this, 'SecurityGroup', {
      vpc: this.vpc,
      description: 'Load workers: nothing comes in',
      allowAllOutbound: false,
    });
    this.securityGroup.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'DynamoDB, S3, the image and the logs, all by HTTPS');
    this.taskDefinition = this.createTask(props);
  }

  /** What the coordinator needs to know to start one. */
  describe(): object {
    return {
      cluster: this.cluster.clusterArn,
      taskDefinition: this.taskDefinition.taskDefinitionArn,
      container: CONTAINER,
      capacityProvider: this.capacityProvider,
      subnets: this.subnets.map(({ subnetId }) => subnetId),
      securityGroups: [this.securityGroup.securityGroupId],
      publicIp: this.hasPublicIp,
    };
  }

  private createVpc(): Vpc {
    const vpc = new Vpc(this, 'Vpc', {
      maxAzs: 2,
      natGateways: 0,
      // Nothing is ever in the default group; to empty it takes a function and a role of their own.
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [{ name: 'workers', subnetType: SubnetType.PUBLIC }],
    });
    acknowledge(vpc, 'VPC7', 'The network holds load workers only, while a test runs; flow logs would cost more than they tell.');
    return vpc;
  }

  private createTask(props: FargateWorkersProps): FargateTaskDefinition {
    const { cpu, memoryMb } = fargateSize(props.fargateCpu, props.fargateMemoryMb, props.checks);
    const isArm = (props.architecture ?? Architecture.ARM_64) === Architecture.ARM_64;
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention ?? RetentionDays.ONE_WEEK,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const executionRole = new Role(this, 'ExecutionRole', {
      assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com'),
      description: `Starts the load workers of ${this.node.path}`,
      roleName: formattedName(props.checks, this, { prop: 'roleNameFormat', format: props.roleNameFormat, part: 'load-start' }),
      permissionsBoundary: props.permissionsBoundary,
    });
    acknowledge(executionRole, 'IAM5[Resource::*]', 'A token for the registry of images is not for one of them.');
    // What `millrace load connect` opens a tunnel with. These actions know no resources.
    props.taskRole.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['CreateControlChannel', 'CreateDataChannel', 'OpenControlChannel', 'OpenDataChannel'].map(
          (action) => `ssmmessages:${action}`,
        ),
        resources: ['*'],
      }),
    );
    acknowledge(props.taskRole, 'IAM5[Resource::*]', 'The actions by which Session Manager opens a tunnel to a task know no resources.');
    const task = new FargateTaskDefinition(this, 'Task', {
      cpu,
      memoryLimitMiB: memoryMb,
      taskRole: props.taskRole,
      executionRole,
      runtimePlatform: {
        cpuArchitecture: isArm ? CpuArchitecture.ARM64 : CpuArchitecture.X86_64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
    });
    task.addContainer(CONTAINER, {
      image:
        props.image ??
        ContainerImage.fromAsset(join(props.workerAssets, 'image'), { platform: isArm ? Platform.LINUX_ARM64 : Platform.LINUX_AMD64 }),
      logging: LogDrivers.awsLogs({ streamPrefix: CONTAINER, logGroup }),
    });
    return task;
  }
}
