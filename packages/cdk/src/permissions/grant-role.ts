import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IRateLimiter } from '../rate-limiter-base.js';
import { AccessRole } from './access-role.js';

/** Grants a role of use by its name: everywhere, or in one namespace. */
export function grantRole(limiter: IRateLimiter, role: AccessRole, grantee: IGrantable, namespaceId: string | undefined): Grant {
  switch (role) {
    case AccessRole.ACQUIRE:
      return namespaceId === undefined ? limiter.grantAcquire(grantee) : limiter.grantAcquireForNamespace(grantee, namespaceId);
    case AccessRole.RECORD_USAGE:
      return namespaceId === undefined ? limiter.grantRecordUsage(grantee) : limiter.grantRecordUsageForNamespace(grantee, namespaceId);
    case AccessRole.READ:
      return namespaceId === undefined ? limiter.grantRead(grantee) : limiter.grantReadForNamespace(grantee, namespaceId);
    case AccessRole.ADMIN:
      return namespaceId === undefined ? limiter.grantAdmin(grantee) : limiter.grantAdminForNamespace(grantee, namespaceId);
  }
}
