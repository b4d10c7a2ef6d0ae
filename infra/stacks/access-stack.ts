import { AccessRoles, type IRateLimiter, NamespaceId } from '@millrace/cdk';
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { AccountRootPrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { NAMESPACE_TAG } from '../stage.js';

/** Whose limiter it is, and which namespaces have roles of their own. */
export interface AccessStackProps extends StackProps {
  readonly limiter: IRateLimiter;
  readonly namespaceIds: readonly string[];
}

/**
 * Roles that whoever has `sts:AssumeRole` in this account may take on: for the whole limiter, for the namespace that a
 * session's tag names, and for each namespace that the stage lists. A service of your own needs none of them: grant its
 * role what it does, as the README shows.
 */
export class AccessStack extends Stack {
  constructor(scope: Construct, id: string, { limiter, namespaceIds, ...props }: AccessStackProps) {
    super(scope, id, props);
    const assumedBy = new AccountRootPrincipal();
    this.#tell('', new AccessRoles(this, 'Roles', { limiter, assumedBy }));
    const tagged = { assumedBy: assumedBy.withSessionTags(), namespaceId: NamespaceId.fromPrincipalTag(NAMESPACE_TAG) };
    this.#tell('Tagged', new AccessRoles(this, 'TaggedRoles', { limiter, ...tagged }));
    for (const namespaceId of namespaceIds) {
      this.#tell(namespaceId, new AccessRoles(this, `Namespace-${namespaceId}`, { limiter, assumedBy, namespaceId }));
    }
  }

  /** Puts the roles' ARNs into the outputs: `AcquireRoleArn`, `TaggedReadRoleArn`, `<namespace id>AdminRoleArn`. */
  #tell(prefix: string, { acquire, read, admin }: AccessRoles): void {
    new CfnOutput(this, `${prefix}AcquireRoleArn`, { value: acquire.roleArn });
    new CfnOutput(this, `${prefix}ReadRoleArn`, { value: read.roleArn });
    new CfnOutput(this, `${prefix}AdminRoleArn`, { value: admin.roleArn });
  }
}
