import type { TableStatus } from '@millrace/limiter/admin';
import { withLimiter, withRegistry } from '../connection.js';
import { type FailureReport, reportOf } from '../failure.js';
import { connectionOf, type Globals, tableOf } from '../globals.js';
import { type Check, fail, ok, skip, warn } from './check.js';

const ABOUT_TABLE = ['keys', 'schema', 'time to live', 'stream', 'usage index', 'namespace', 'limits'] as const;

/** Checks the table, and what is in it. Reads only. */
export async function checkTable(globals: Globals): Promise<readonly Check[]> {
  const { tableStatus } = await import('@millrace/limiter/admin');
  let status: TableStatus;
  try {
    status = await tableStatus({ table: tableOf(globals), ...connectionOf(globals) });
  } catch (error) {
    return tableFailure(reportOf(error));
  }
  const isUsable = status.status === 'ACTIVE' || status.status === 'UPDATING';
  if (!isUsable) {
    return [
      fail('table', `${status.table} is ${status.status}`, 'wait until it is ACTIVE'),
      ...skip(ABOUT_TABLE, 'a table that is ACTIVE'),
    ];
  }
  return [
    ok('table', `${status.table} is ${status.status}`),
    ok('keys', 'PK and SK'),
    ...settings(status),
    ...(await checkNamespace(globals)),
  ];
}

function tableFailure({ code, message, hint }: FailureReport): readonly Check[] {
  if (code !== 'TABLE_UNUSABLE') return [fail('table', message, hint), ...skip(ABOUT_TABLE, 'the table')];
  const rest = ABOUT_TABLE.filter((check) => check !== 'keys');
  return [
    ok('table', 'is there'),
    fail('keys', message, 'check --table: this one belongs to something else'),
    ...skip(rest, 'a table of Millrace'),
  ];
}

function settings({ schemaVersion, releaseSchemaVersion, readable, timeToLive, stream, usageIndex }: TableStatus): readonly Check[] {
  return [
    schema(schemaVersion, releaseSchemaVersion, readable),
    timeToLive === true
      ? ok('time to live', 'on')
      : warn(
          'time to live',
          timeToLive === undefined ? 'nobody tells whether it is on' : 'off: what has expired stays, and is paid for',
          'turn it on for the attribute "ttl"',
        ),
    stream
      ? ok('stream', 'on, with new and old images')
      : warn('stream', 'off: nothing can be told about usage', 'turn it on with NEW_AND_OLD_IMAGES'),
    INDEX_CHECKS[usageIndex],
  ];
}

/** Limiting does without the index, so that none of its states is a failure. */
const INDEX_CHECKS: Readonly<Record<TableStatus['usageIndex'], Check>> = {
  usable: ok('usage index', '"windows" can be queried'),
  building: warn('usage index', '"windows" is being built', 'wait: "usage top" and seals are refused until it is done'),
  missing: warn(
    'usage index',
    '"windows" is missing: "usage top" and seals are refused',
    'deploy the construct of this release, or run "millrace table upgrade" where there is none',
  ),
  unlike: warn('usage index', '"windows" has other keys than those of Millrace', 'delete it, then run "millrace table upgrade"'),
};

function schema(version: number | undefined, release: number, readable: boolean | undefined): Check {
  if (version === undefined) return warn('schema', 'nobody tells its version', 'see that the role may read the table');
  if (readable === false)
    return fail('schema', `version ${version}, and this release reads ${release - 1} to ${release + 1}`, 'use a release that reads it');
  if (version < release) return warn('schema', `version ${version}, and this release writes ${release}`, 'run "millrace table migrate"');
  return ok('schema', `version ${version}`);
}

async function checkNamespace(globals: Globals): Promise<readonly Check[]> {
  const { namespace } = globals;
  try {
    const found = await withRegistry({ globals }, ({ namespaces }) => namespaces.describe(namespace));
    if (found?.state !== 'active') {
      const state = found === undefined ? `there is no namespace "${namespace}"` : `namespace "${namespace}" is ${found.state}`;
      const todo =
        found === undefined
          ? `check --namespace, or run "millrace namespace register ${namespace}"`
          : `run "millrace namespace recover ${namespace}"`;
      return [
        fail('namespace', state, found?.state === 'purging' ? 'purge it to the end, then register it anew' : todo),
        ...skip(['limits'], 'a namespace'),
      ];
    }
  } catch (error) {
    const { message, hint } = reportOf(error);
    return [fail('namespace', message, hint), ...skip(['limits'], 'a namespace')];
  }
  return [ok('namespace', `${namespace} is active`), await checkLimits(globals)];
}

/** Reads what every acquire reads, for an entity and a resource that need not be there. */
async function checkLimits(globals: Globals): Promise<Check> {
  try {
    const { source } = await withLimiter({ globals }, (limiter) => limiter.explain('doctor', 'doctor'));
    return ok('limits', source === undefined ? 'can be read; the system has none' : 'can be read; the system has some');
  } catch (error) {
    const { message, hint } = reportOf(error);
    return fail('limits', message, hint);
  }
}
