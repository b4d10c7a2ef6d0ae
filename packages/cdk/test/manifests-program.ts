import { LimitRate, LimitsManifest, ManifestSource, RateLimiter, UnavailableAction } from '@millrace/cdk';
import { App, CfnOutput, Duration, Stack } from 'aws-cdk-lib';

const stack = new Stack(new App(), 'Limits');
const limiter = new RateLimiter(stack, 'Limiter');

// Typed props: an editor completes them, and a loop or a condition of the app can make them.
const models = new LimitsManifest(stack, 'Models', {
  limiter,
  manifestName: 'models',
  system: [LimitRate.perMinute('rpm', 60)],
  onUnavailable: UnavailableAction.ALLOW,
  resources: ['gpt-4', 'gpt-4o'].map((resource) => ({
    resource,
    limits: [
      LimitRate.perMinute('rpm', 500),
      LimitRate.of({ name: 'tpm', tokens: 200_000, period: Duration.seconds(10), capacity: 800_000 }),
    ],
  })),
  prune: true,
});

// YAML, as `millrace limits` reads it; ManifestSource.fromFile('limits.yaml') reads a file.
new LimitsManifest(stack, 'Tenants', {
  limiter,
  source: ManifestSource.fromYaml(`
name: tenants
entities:
  key-1:
    default: [rpm:100/min]
    resources:
      gpt-4: [rpm:1000/min, tpm:4000000/min:6000000]
`),
});

new CfnOutput(stack, 'ModelsFunction', { value: models.handler.functionName });
