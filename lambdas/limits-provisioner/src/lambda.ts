import { awsProvisioner } from './adapters/aws-provisioner.js';
import { environmentOf } from './environment.js';
import type { Provisioner } from './provisioner.js';

let made: Provisioner | undefined;

/** What Lambda invokes. It is made at the first invocation, so that importing costs nothing. */
export const handler: Provisioner = (event, context) => {
  made ??= awsProvisioner(() => environmentOf(process.env));
  return made(event, context);
};
