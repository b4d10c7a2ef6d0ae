export { type AwsParts, awsProvisioner } from './adapters/aws-provisioner.js';
export { environmentOf } from './environment.js';
export type { InspectReport, InspectRequest } from './inspect.js';
export { handler } from './lambda.js';
export type { Home, OpenPlace, Place, ProvisionerParts } from './ports.js';
export { makeProvisioner, type Provisioner } from './provisioner.js';
