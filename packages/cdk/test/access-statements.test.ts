import { App, Stack } from 'aws-cdk-lib';
import { beforeAll, describe, expect, it } from 'vitest';
import { AccessRole } from '../src/permissions/access-role.js';
import { accessStatements } from '../src/permissions/access-statements.js';
import { NamespaceId } from '../src/permissions/namespace-id.js';
import { isAllowed, jsonOf, refused, type Statement, TABLE_ARN, unused } from './iam-judge.js';
import type { RecordedAction } from './recorded-request.js';
import { roleWorld } from './role-world.js';

const statementsOf = (role: AccessRole, namespaceId?: string): readonly Statement[] =>
  jsonOf(accessStatements(role, { tableArn: TABLE_ARN, ...(namespaceId === undefined ? {} : { namespaceId }) }));

describe('what the SDK sends for a role of use', () => {
  let id: string;
  let sent: Readonly<Record<'acquire' | 'bill' | 'read' | 'administer' | 'administerTable', readonly RecordedAction[]>>;
  beforeAll(async () => {
    const world = await roleWorld();
    id = world.namespaceId;
    const [acquire, bill, read] = [await world.acquire(), await world.bill(), await world.read()];
    sent = { acquire, bill, read, administer: await world.administer(), administerTable: await world.administerTable() };
    await world.close();
  });

  it.each(['one namespace', 'all namespaces'])('is all that acquiring in %s allows, and nothing else', (where) => {
    const fence = where === 'one namespace' ? id : undefined;
    expect(refused(statementsOf(AccessRole.ACQUIRE, fence), sent.acquire)).toEqual([]);
    expect(unused(statementsOf(AccessRole.ACQUIRE, fence), sent.acquire)).toEqual([]);
  });

  it.each(['one namespace', 'all namespaces'])('is all that recording usage beside acquiring in %s allows, and nothing else', (where) => {
    const fence = where === 'one namespace' ? id : undefined;
    const [acquire, record] = [statementsOf(AccessRole.ACQUIRE, fence), statementsOf(AccessRole.RECORD_USAGE, fence)];
    expect(refused([...acquire, ...record], sent.bill)).toEqual([]);
    expect(unused(record, sent.bill)).toEqual([]);
    // Neither is part of the other.
    const bills = sent.bill.filter((one) => !isAllowed(acquire, one));
    expect(new Set(bills.flatMap(({ leadingKeys }) => leadingKeys))).toEqual(new Set([`${id}/v/key-1/gpt-4`]));
    expect(sent.acquire.filter((one) => isAllowed(record, one))).toEqual([]);
  });

  it('is all that reading allows, and nothing else', () => {
    expect(refused(statementsOf(AccessRole.READ), sent.read)).toEqual([]);
    expect(unused(statementsOf(AccessRole.READ), sent.read)).toEqual([]);
  });

  it('is all that reading in one namespace allows, but for what is outside of it', () => {
    const within = sent.read.filter(({ leadingKeys }) => leadingKeys.length > 0 && leadingKeys.every((key) => key.startsWith(`${id}/`)));
    expect(refused(statementsOf(AccessRole.READ, id), within)).toEqual([]);
    expect(unused(statementsOf(AccessRole.READ, id), sent.read)).toEqual([]);
  });

  it('is all that administering one namespace allows, and nothing else', () => {
    expect(refused(statementsOf(AccessRole.ADMIN, id), sent.administer)).toEqual([]);
    expect(unused(statementsOf(AccessRole.ADMIN, id), [...sent.administer, ...sent.read])).toEqual([]);
  });

  it('is all that administering the table allows, which is all that anybody does', () => {
    const all = Object.values(sent).flat();
    expect(refused(statementsOf(AccessRole.ADMIN), all)).toEqual([]);
    expect(unused(statementsOf(AccessRole.ADMIN), all)).toEqual([]);
  });

  it('does not fit through the fence of another namespace', () => {
    const own = sent.administer.filter(({ leadingKeys }) => leadingKeys.some((key) => key.startsWith(`${id}/`)));
    expect(own.length).toBeGreaterThan(100);
    for (const role of Object.values(AccessRole)) {
      const elsewhere = statementsOf(role, '0123456789ab');
      expect(own.filter((one) => isAllowed(elsewhere, one))).toEqual([]);
    }
  });

  it('needs neither writes of limits nor the registry in a service', () => {
    const writes = [...sent.administer, ...sent.administerTable].filter(({ action }) => /Put|Update|Delete|Write/.test(action));
    const kindsFor = (...roles: readonly AccessRole[]) => {
      const statements = roles.flatMap((role) => statementsOf(role));
      return new Set(writes.filter((one) => isAllowed(statements, one)).map(({ leadingKeys }) => leadingKeys[0]?.split('/')[1]));
    };
    expect(kindsFor(AccessRole.ACQUIRE)).toEqual(new Set(['b']));
    expect(kindsFor(AccessRole.ACQUIRE, AccessRole.RECORD_USAGE)).toEqual(new Set(['b', 'v']));
  });
});

describe('the id of a namespace', () => {
  const variable = (name: string): string => `\${${name}}`;

  it.each(['*', 'a/*', '', '_', variable('aws:username'), variable('aws:PrincipalTag/')])(
    'is refused where it is "%s", which would open more',
    (id) => {
      expect(() => accessStatements(AccessRole.ACQUIRE, { tableArn: TABLE_ARN, namespaceId: id })).toThrow(
        /namespaceId must be the id of a namespace/,
      );
    },
  );

  it('may be known only when it is deployed', () => {
    const { region } = new Stack(new App(), 'Stack');
    expect(() => accessStatements(AccessRole.READ, { tableArn: TABLE_ARN, namespaceId: region })).not.toThrow();
  });

  it('may be what the tag of the caller says', () => {
    const [, buckets] = statementsOf(AccessRole.ACQUIRE, NamespaceId.fromPrincipalTag('millrace-namespace'));
    expect(buckets?.Condition).toEqual({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${variable('aws:PrincipalTag/millrace-namespace')}/b/*`] },
    });
  });
});
