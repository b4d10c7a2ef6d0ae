import { LimitRate, LimitsManifest, RateLimiter } from '@millrace/cdk';
import { App, CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';

const stack = new Stack(new App(), 'Gateway');
const limiter = new RateLimiter(stack, 'Limiter');

const limits = new LimitsManifest(stack, 'Limits', {
  limiter,
  system: [LimitRate.perMinute('rpm', 60)],
  resources: [{ resource: 'gpt-4', limits: [LimitRate.perMinute('rpm', 500), LimitRate.perMinute('tpm', 800_000)] }],
  entities: [{ entity: 'key-1', limits: [LimitRate.perMinute('rpm', 100, { capacity: 300 })] }],
  prune: true,
  removalPolicy: RemovalPolicy.DESTROY,
});

new CfnOutput(stack, 'LimitsFunction', { value: limits.handler.functionName });
new CfnOutput(stack, 'LimitsChanged', { value: limits.changes });
