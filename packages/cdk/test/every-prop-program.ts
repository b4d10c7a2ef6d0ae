import { App } from 'aws-cdk-lib';
import { everyProp } from './every-prop.js';

// An app for the CDK's command line, whose templates the linters of the deployment tests judge beside those of infra/.
everyProp(new App());
