import { AccessPolicies, RateLimiter } from '@millrace/cdk';
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, type ManagedPolicy, Role } from 'aws-cdk-lib/aws-iam';

// An app of somebody who has not made the limiter: it is imported by its name, and each grant goes to a role of that app,
// beside managed policies for roles that no grant reaches.
const table = String(process.env['GRANTS_TABLE']);
const namespaceId = String(process.env['GRANTS_NAMESPACE']);

const stack = new Stack(new App(), 'Grants');
const limiter = RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableName: table });
const assumedBy = new AccountRootPrincipal();

function roleWith(name: string, ...managedPolicies: readonly ManagedPolicy[]): Role {
  const role = new Role(stack, name, { assumedBy, managedPolicies: [...managedPolicies] });
  new CfnOutput(stack, `${name}RoleArn`, { value: role.roleArn });
  return role;
}

limiter.grantRecordUsage(roleWith('Records'));
limiter.grantRecordUsageForNamespace(roleWith('RecordsWithin'), namespaceId);
for (const [suffix, fence] of [
  ['', {}],
  ['Within', { namespaceId }],
] as const) {
  const { acquire, read, admin } = new AccessPolicies(stack, `Policies${suffix}`, { limiter, recordUsage: true, ...fence });
  roleWith(`Bills${suffix}`, acquire);
  roleWith(`Reads${suffix}`, read);
  roleWith(`Administers${suffix}`, admin);
}
