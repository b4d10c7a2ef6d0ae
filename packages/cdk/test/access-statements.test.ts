import { App, Stack } from 'aws-cdk-lib';
import { beforeAll, describe, expect, it } from 'vitest';
import { AccessRole } from '../src/permissions/access-role.js';
import { accessStatements } from '../src/permissions/access-statements.js';
import { NamespaceId } from '../src/permissions/namespace-id.js';
import type { RecordedAction } from './recorded-request.js';
import { roleWorld } from './role-world.js';

const tableArn = 'arn:aws:dynamodb:us-east-1:123456789012:table/millrace';

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: string;
  readonly Condition?: { readonly 'ForAllValues:StringLike': { readonly 'dynamodb:LeadingKeys': readonly string[] } };
}

/** One action on one pattern of keys, which is as finely as a statement says anything. */
interface Permitted {
  readonly action: string;
  readonly pattern: string;
  readonly index: string | undefined;
}

function statementsOf(role: AccessRole, namespaceId?: string): readonly Statement[] {
  return accessStatements(role, { tableArn, ...(namespaceId === undefined ? {} : { namespaceId }) }).map((one) => one.toStatementJson());
}

function permitsOf(role: AccessRole, namespaceId?: string): readonly Permitted[] {
  return statementsOf(role, namespaceId).flatMap(({ Action: actions, Resource: resource, Condition: condition }) =>
    [actions].flat().flatMap((action) =>
      (condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'] ?? ['*']).map((pattern) => ({
        action,
        pattern,
        index: resource.split('/index/')[1],
      })),
    ),
  );
}

/** The stars of our patterns stand for anything; they hold no other sign that means something to IAM. */
function isLike(key: string, pattern: string): boolean {
  return new RegExp(`^${pattern.replace(/[$.{}/]/g, '\\$&').replaceAll('*', '.*')}$`).test(key);
}

/** As IAM judges it: some statement allows the action on all of its keys. */
function isAllowed(statements: readonly Statement[], { action, leadingKeys, index }: RecordedAction): boolean {
  return statements.some(({ Action: actions, Resource: resource, Condition: condition }) => {
    if (![actions].flat().includes(action) || resource !== (index === undefined ? tableArn : `${tableArn}/index/${index}`)) return false;
    const patterns = condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
    return patterns === undefined || leadingKeys.every((key) => patterns.some((pattern) => isLike(key, pattern)));
  });
}

const refused = (statements: readonly Statement[], recorded: readonly RecordedAction[]) =>
  recorded.filter((one) => !isAllowed(statements, one)).map(({ action, leadingKeys }) => `${action} ${leadingKeys.join(' ')}`);

/** What is allowed and was never sent. */
const unused = (permits: readonly Permitted[], recorded: readonly RecordedAction[]) =>
  permits
    .filter(
      ({ action, pattern, index }) =>
        !recorded.some(
          (one) => one.action === action && one.index === index && (pattern === '*' || one.leadingKeys.some((key) => isLike(key, pattern))),
        ),
    )
    .map(({ action, pattern }) => `${action} ${pattern}`);

describe('what the SDK sends for a role of use', () => {
  let id: string;
  let sent: Readonly<Record<'acquire' | 'read' | 'administer' | 'administerTable', readonly RecordedAction[]>>;
  beforeAll(async () => {
    const world = await roleWorld();
    id = world.namespaceId;
    const [acquire, read] = [await world.acquire(), await world.read()];
    sent = { acquire, read, administer: await world.administer(), administerTable: await world.administerTable() };
    await world.close();
  });

  it.each(['one namespace', 'all namespaces'])('is all that acquiring in %s allows, and nothing else', (where) => {
    const fence = where === 'one namespace' ? id : undefined;
    expect(refused(statementsOf(AccessRole.ACQUIRE, fence), sent.acquire)).toEqual([]);
    expect(unused(permitsOf(AccessRole.ACQUIRE, fence), sent.acquire)).toEqual([]);
  });

  it('is all that reading allows, and nothing else', () => {
    expect(refused(statementsOf(AccessRole.READ), sent.read)).toEqual([]);
    expect(unused(permitsOf(AccessRole.READ), sent.read)).toEqual([]);
  });

  it('is all that reading in one namespace allows, but for what is outside of it', () => {
    const within = sent.read.filter(({ leadingKeys }) => leadingKeys.length > 0 && leadingKeys.every((key) => key.startsWith(`${id}/`)));
    expect(refused(statementsOf(AccessRole.READ, id), within)).toEqual([]);
    expect(unused(permitsOf(AccessRole.READ, id), sent.read)).toEqual([]);
  });

  it('is all that administering one namespace allows, and nothing else', () => {
    expect(refused(statementsOf(AccessRole.ADMIN, id), sent.administer)).toEqual([]);
    expect(unused(permitsOf(AccessRole.ADMIN, id), [...sent.administer, ...sent.read])).toEqual([]);
  });

  it('is all that administering the table allows, which is all that anybody does', () => {
    const all = Object.values(sent).flat();
    expect(refused(statementsOf(AccessRole.ADMIN), all)).toEqual([]);
    expect(unused(permitsOf(AccessRole.ADMIN), all)).toEqual([]);
  });

  it('does not fit through the fence of another namespace', () => {
    const own = sent.administer.filter(({ leadingKeys }) => leadingKeys.some((key) => key.startsWith(`${id}/`)));
    expect(own.length).toBeGreaterThan(100);
    for (const role of [AccessRole.ACQUIRE, AccessRole.READ, AccessRole.ADMIN]) {
      const elsewhere = statementsOf(role, '0123456789ab');
      expect(own.filter((one) => isAllowed(elsewhere, one))).toEqual([]);
    }
  });

  it('needs neither writes of limits nor the registry in a service', () => {
    const writes = [...sent.administer, ...sent.administerTable].filter(({ action }) => /Put|Update|Delete|Write/.test(action));
    const allowed = writes.filter((one) => isAllowed(statementsOf(AccessRole.ACQUIRE), one));
    expect(new Set(allowed.map(({ leadingKeys }) => leadingKeys[0]?.split('/')[1]))).toEqual(new Set(['b']));
  });
});

describe('the id of a namespace', () => {
  const variable = (name: string): string => `\${${name}}`;

  it.each(['*', 'a/*', '', '_', variable('aws:username'), variable('aws:PrincipalTag/')])(
    'is refused where it is "%s", which would open more',
    (id) => {
      expect(() => accessStatements(AccessRole.ACQUIRE, { tableArn, namespaceId: id })).toThrow(
        /namespaceId must be the id of a namespace/,
      );
    },
  );

  it('may be known only when it is deployed', () => {
    const { region } = new Stack(new App(), 'Stack');
    expect(() => accessStatements(AccessRole.READ, { tableArn, namespaceId: region })).not.toThrow();
  });

  it('may be what the tag of the caller says', () => {
    const [, buckets] = statementsOf(AccessRole.ACQUIRE, NamespaceId.fromPrincipalTag('millrace-namespace'));
    expect(buckets?.Condition).toEqual({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${variable('aws:PrincipalTag/millrace-namespace')}/b/*`] },
    });
  });
});
