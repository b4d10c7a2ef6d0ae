import { App } from 'aws-cdk-lib';
import { AccessStack } from '../stacks/access-stack.js';
import { LimiterStack } from '../stacks/limiter-stack.js';
import { LoadStack } from '../stacks/load-stack.js';
import { ContextError, stageOf } from '../stage.js';

// `cdk deploy --all -c stage=prod`; account and region are those of the profile in use.
try {
  const app = new App();
  const stage = stageOf(app.node);
  const { limiter } = new LimiterStack(app, `Millrace-${stage.name}`, { stage, description: 'A distributed rate limiter' });
  new AccessStack(app, `Millrace-${stage.name}-Access`, {
    limiter,
    namespaceIds: stage.namespaceIds,
    description: 'Roles for those who use the rate limiter',
  });
  if (stage.loadAssets !== undefined) {
    new LoadStack(app, `Millrace-${stage.name}-Load`, { limiter, stage, description: 'Workers that load the rate limiter' });
  }
} catch (error) {
  if (!(error instanceof ContextError)) throw error;
  process.stderr.write(`millrace: ${error.message}\n`);
  process.exit(1);
}
