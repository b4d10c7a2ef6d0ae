import { CloudFormationClient, DescribeStackResourcesCommand, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DescribeAlarmsCommand, GetDashboardCommand } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ECSClient, ListClustersCommand, ListTaskDefinitionsCommand } from '@aws-sdk/client-ecs';
import { EventBridgeClient, ListRulesCommand } from '@aws-sdk/client-eventbridge';
import { IAMClient, ListPoliciesCommand, ListRolesCommand } from '@aws-sdk/client-iam';
import { LambdaClient, ListEventSourceMappingsCommand, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { ListTopicsCommand, SNSClient } from '@aws-sdk/client-sns';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';

/** Everything in the account that a stack of ours could have made, as `kind name`. */
export async function resources(): Promise<readonly string[]> {
  const [iam, lambda, ecs] = [new IAMClient({}), new LambdaClient({}), new ECSClient({})];
  const found: Record<string, readonly (string | undefined)[] | undefined> = {
    stack: (await new CloudFormationClient({}).send(new DescribeStacksCommand({}))).Stacks?.map(({ StackName }) => StackName),
    table: (await new DynamoDBClient({}).send(new ListTablesCommand({}))).TableNames,
    function: (await lambda.send(new ListFunctionsCommand({}))).Functions?.map(({ FunctionName }) => FunctionName),
    mapping: (await lambda.send(new ListEventSourceMappingsCommand({}))).EventSourceMappings?.map(({ UUID }) => UUID),
    queue: (await new SQSClient({}).send(new ListQueuesCommand({}))).QueueUrls,
    topic: (await new SNSClient({}).send(new ListTopicsCommand({}))).Topics?.map(({ TopicArn }) => TopicArn),
    bucket: (await new S3Client({ forcePathStyle: true }).send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name),
    logs: (await new CloudWatchLogsClient({}).send(new DescribeLogGroupsCommand({}))).logGroups?.map((group) => group.logGroupName),
    alarm: (await new CloudWatchClient({}).send(new DescribeAlarmsCommand({}))).MetricAlarms?.map(({ AlarmName }) => AlarmName),
    rule: (await new EventBridgeClient({}).send(new ListRulesCommand({}))).Rules?.map(({ Name }) => Name),
    role: (await iam.send(new ListRolesCommand({ MaxItems: 1_000 }))).Roles?.map(({ RoleName }) => RoleName),
    policy: (await iam.send(new ListPoliciesCommand({ Scope: 'Local' }))).Policies?.map(({ PolicyName }) => PolicyName),
    cluster: (await ecs.send(new ListClustersCommand({}))).clusterArns,
    task: (await ecs.send(new ListTaskDefinitionsCommand({}))).taskDefinitionArns,
  };
  return Object.entries(found).flatMap(([kind, names = []]) => names.map((name) => `${kind} ${name}`));
}

/** What CloudFormation has called the dashboard of a stack. */
export async function dashboardOf(StackName: string): Promise<string | undefined> {
  const { StackResources: found = [] } = await new CloudFormationClient({}).send(new DescribeStackResourcesCommand({ StackName }));
  return found.find(({ ResourceType }) => ResourceType === 'AWS::CloudWatch::Dashboard')?.PhysicalResourceId;
}

/** What a dashboard shows. They cannot be listed: the SDK does not read the emulator's list of them. */
export async function dashboardBody(DashboardName: string | undefined): Promise<string> {
  const { DashboardBody: body = '' } = await new CloudWatchClient({}).send(new GetDashboardCommand({ DashboardName }));
  return body;
}
