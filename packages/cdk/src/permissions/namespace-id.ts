import { Token } from 'aws-cdk-lib';

const ID = /^[0-9A-Za-z-]+$/;
const TAG_VARIABLE = /^\$\{aws:PrincipalTag\/[\w .:/=+@-]{1,128}\}$/;

/** The id of a namespace, for grants that are fenced to one. */
export class NamespaceId {
  /**
   * The id that the caller's own tag says: of its role, or of its session. One grant then serves every tenant, and nobody
   * whose tag says nothing gets in. Whoever may set that tag decides whose namespace a caller sees: see to it in the
   * role's trust policy.
   *
   * @param key The key of the tag, like `millrace-namespace`.
   */
  static fromPrincipalTag(key: string): string {
    return checkNamespaceId(`\${aws:PrincipalTag/${key}}`);
  }

  private constructor() {}
}

/**
 * Checks the id of a namespace: a star in it would open every other one.
 *
 * @throws Error if it is neither an id, nor made by `NamespaceId.fromPrincipalTag`, nor known only when it is deployed
 */
export function checkNamespaceId(id: unknown): string {
  // A pattern would take a missing id for the word that says so.
  if (typeof id === 'string' && (Token.isUnresolved(id) || ID.test(id) || TAG_VARIABLE.test(id))) return id;
  const expected = 'the id of a namespace (letters, digits and "-"), or what NamespaceId.fromPrincipalTag gives';
  throw new Error(`@millrace/cdk: namespaceId must be ${expected}, got: ${id}. "millrace namespace show" shows the id of a name.`);
}
