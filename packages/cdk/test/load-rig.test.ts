import { LoadRig, type LoadRigProps, RateLimiter } from '@millrace/cdk';
import type { Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { beforeAll, describe, expect, it } from 'vitest';
import { rigAssets } from './rig-assets.js';
import { mistakesOf, onlyOne, templateOf } from './synth.js';

const workerAssets = rigAssets();

type Change = (stack: Stack) => Partial<LoadRigProps>;
const build = (change: Change) => (stack: Stack) => {
  const limiter = RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableName: 'limits' });
  new LoadRig(stack, 'Rig', { limiter, workerAssets, ...change(stack) });
};
const rigWith = (change: Change = () => ({})): Template => templateOf(build(change));

describe('a rig without props', () => {
  let template: Template;
  beforeAll(() => {
    template = rigWith();
  });

  it('has a function with one whole processor and the longest time, which Lambda never runs again by itself', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Handler: 'index.handler',
      MemorySize: 1_769,
      Timeout: 900,
      Architectures: ['arm64'],
      Layers: [Match.anyValue()],
      ReservedConcurrentExecutions: Match.absent(),
    });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 });
  });

  it('has a task definition and no service: nothing runs until a run starts it', () => {
    template.hasResourceProperties('AWS::ECS::TaskDefinition', {
      Cpu: '1024',
      Memory: '2048',
      RequiresCompatibilities: ['FARGATE'],
      RuntimePlatform: { CpuArchitecture: 'ARM64', OperatingSystemFamily: 'LINUX' },
    });
    template.resourceCountIs('AWS::ECS::Service', 0);
    template.resourceCountIs('AWS::EC2::NatGateway', 0);
  });

  it('reaches DynamoDB by a gateway, lets HTTPS out and nothing in', () => {
    template.hasResourceProperties('AWS::EC2::VPCEndpoint', { VpcEndpointType: 'Gateway' });
    const { SecurityGroupIngress, SecurityGroupEgress } = onlyOne(template, 'AWS::EC2::SecurityGroup');
    expect(SecurityGroupIngress).toBeUndefined();
    expect(SecurityGroupEgress).toEqual([expect.objectContaining({ CidrIp: '0.0.0.0/0', FromPort: 443, ToPort: 443, IpProtocol: 'tcp' })]);
  });

  it('keeps results a month, and nobody else sees them', () => {
    template.hasResource('AWS::S3::Bucket', { DeletionPolicy: 'Delete' });
    template.hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: { Rules: [Match.objectLike({ ExpirationInDays: 30 })] },
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    });
  });

  it('lets a worker acquire and leave its figures, and no more of either', () => {
    const statements = Object.values(template.findResources('AWS::IAM::Policy')).flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement,
    );
    const actions = new Set(statements.flatMap(({ Action }) => Action as string | string[]));
    expect([...actions].filter((action) => /^dynamodb:/.test(action)).sort()).toContain('dynamodb:UpdateItem');
    for (const action of ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:Scan', 's3:GetObject*', 's3:DeleteObject*']) {
      expect(actions).not.toContain(action);
    }
    const puts = statements.find(({ Action }) => [Action].flat().includes('s3:PutObject'));
    expect(JSON.stringify(puts.Resource)).toContain('/runs/*');
  });

  it('tells the coordinator where everything is', () => {
    const [[id, output]] = Object.entries(template.findOutputs('*')) as [[string, { Value: unknown }]];
    expect(id).toContain('LoadRig');
    const text = JSON.stringify(output.Value);
    for (const name of [
      'table',
      'resultsBucket',
      'functionName',
      'cluster',
      'taskDefinition',
      'FARGATE_SPOT',
      'subnets',
      'securityGroups',
    ]) {
      expect(text).toContain(name);
    }
  });
});

describe('the props of a rig', () => {
  it('lambdaWorkers, fargateWorkers: one kind is enough, none is a mistake', () => {
    rigWith(() => ({ lambdaWorkers: false })).resourceCountIs('AWS::Lambda::Function', 0);
    const without = rigWith(() => ({ fargateWorkers: false }));
    for (const type of ['AWS::ECS::TaskDefinition', 'AWS::EC2::VPC', 'AWS::ECS::Cluster']) without.resourceCountIs(type, 0);
    expect(mistakesOf(build(() => ({ lambdaWorkers: false, fargateWorkers: false })))).toEqual([expect.stringContaining('no workers')]);
  });

  it('architecture, lambdaMemoryMb, lambdaReservedConcurrency, logRetention', () => {
    const template = rigWith(() => ({
      architecture: Architecture.X86_64,
      lambdaMemoryMb: 3_008,
      lambdaReservedConcurrency: 20,
      logRetention: RetentionDays.ONE_DAY,
    }));
    template.hasResourceProperties('AWS::Lambda::Function', {
      Architectures: ['x86_64'],
      MemorySize: 3_008,
      ReservedConcurrentExecutions: 20,
    });
    template.hasResourceProperties('AWS::Lambda::LayerVersion', { CompatibleArchitectures: ['x86_64'] });
    template.hasResourceProperties('AWS::ECS::TaskDefinition', {
      RuntimePlatform: { CpuArchitecture: 'X86_64', OperatingSystemFamily: 'LINUX' },
    });
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 1 });
  });

  it('fargateCpu, fargateMemoryMb, image, spot', () => {
    const template = rigWith(() => ({
      fargateCpu: 4_096,
      fargateMemoryMb: 16_384,
      image: ContainerImage.fromRegistry('example/k6'),
      spot: false,
    }));
    template.hasResourceProperties('AWS::ECS::TaskDefinition', {
      Cpu: '4096',
      Memory: '16384',
      ContainerDefinitions: [Match.objectLike({ Image: 'example/k6', Name: 'k6' })],
    });
    expect(JSON.stringify(template.findOutputs('*'))).not.toContain('FARGATE_SPOT');
  });

  it('vpc, dynamoEndpoint: a network that has an endpoint gets no second one', () => {
    const template = rigWith((stack) => ({ vpc: new Vpc(stack, 'Given', { maxAzs: 2 }), dynamoEndpoint: false }));
    template.resourceCountIs('AWS::EC2::VPC', 1);
    template.resourceCountIs('AWS::EC2::VPCEndpoint', 0);
    expect(JSON.stringify(template.findOutputs('*'))).toContain('publicIp\\":false');
  });

  it('permissionsBoundary, roleNameFormat: on every role', () => {
    const template = rigWith((stack) => ({
      permissionsBoundary: ManagedPolicy.fromManagedPolicyName(stack, 'Boundary', 'bound'),
      roleNameFormat: 'team-{}',
    }));
    const roles = Object.values(template.findResources('AWS::IAM::Role')).map(({ Properties }) => Properties);
    expect(roles.map(({ RoleName }) => RoleName).sort()).toEqual([
      'team-Stack-load-lambda',
      'team-Stack-load-start',
      'team-Stack-load-task',
    ]);
    for (const { PermissionsBoundary } of roles) expect(JSON.stringify(PermissionsBoundary)).toContain('bound');
  });

  it('tags: on what it makes', () => {
    rigWith(() => ({ tags: { team: 'load' } })).hasResourceProperties('AWS::S3::Bucket', {
      Tags: Match.arrayWith([{ Key: 'team', Value: 'load' }]),
    });
  });

  it('fargateMemoryMb: what Fargate has for the processors, and no other', () => {
    const of = (fargateCpu: number, fargateMemoryMb: number): string[] => mistakesOf(build(() => ({ fargateCpu, fargateMemoryMb })));
    const right = [
      [256, 2_048],
      [512, 3_072],
      [1_024, 7_168],
      [2_048, 5_120],
      [4_096, 30_720],
      [8_192, 20_480],
      [16_384, 122_880],
    ] as const;
    expect(right.flatMap(([cpu, memory]) => of(cpu, memory))).toEqual([]);
    const wrong = [
      [256, 1_536],
      [256, 4_096],
      [512, 512],
      [1_024, 2_500],
      [4_096, 31_744],
      [8_192, 17_408],
      [16_384, 36_864],
    ] as const;
    expect(wrong.flatMap(([cpu, memory]) => of(cpu, memory))).toEqual([
      'fargateMemoryMb for 256 processor units must be one of 512, 1024, 2048, got: 1536',
      'fargateMemoryMb for 256 processor units must be one of 512, 1024, 2048, got: 4096',
      'fargateMemoryMb for 512 processor units must be one of 1024, 2048, 3072, 4096, got: 512',
      'fargateMemoryMb for 1024 processor units must be from 2048 to 8192 in steps of 1024, got: 2500',
      'fargateMemoryMb for 4096 processor units must be from 8192 to 30720 in steps of 1024, got: 31744',
      'fargateMemoryMb for 8192 processor units must be from 16384 to 61440 in steps of 4096, got: 17408',
      'fargateMemoryMb for 16384 processor units must be from 32768 to 122880 in steps of 8192, got: 36864',
    ]);
  });

  it.each([
    [256, '2048'],
    [1_024, '2048'],
    [16_384, '32768'],
  ])('fargateCpu %i has the memory that the docs say where none is given', (fargateCpu, memory) => {
    rigWith(() => ({ fargateCpu })).hasResourceProperties('AWS::ECS::TaskDefinition', { Cpu: String(fargateCpu), Memory: memory });
  });

  it('workerAssets: a folder without what is needed is told by the name of the prop', () => {
    const made = () => templateOf(build(() => ({ workerAssets: 'nowhere', fargateWorkers: false })));
    expect(made).toThrow(
      "Stack/Rig: workerAssets must be the folder that `pnpm load assets` wrote, got: 'nowhere', in which there is no layer, function",
    );
  });

  it('wrong ones are told all at once', () => {
    expect(mistakesOf(build(() => ({ fargateCpu: 1_000, lambdaMemoryMb: 128, roleNameFormat: 'no place' })))).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/fargateCpu must be one of 256.*got: 1000/),
        expect.stringMatching(/lambdaMemoryMb must be a whole number from 512 to 10240, got: 128/),
        expect.stringMatching(/roleNameFormat/),
      ]),
    );
  });
});
