import { describe, expect, it } from 'vitest';
import { ENVIRONMENT_VARIABLES, environmentOf } from './environment.js';

const LEAST = { MILLRACE_TABLE: 'millrace', AWS_REGION: 'eu-central-1' };

describe('the environment', () => {
  it('needs no more than a table and the region that Lambda sets', () => {
    expect(environmentOf(LEAST)).toEqual({
      table: 'millrace',
      region: 'eu-central-1',
      options: { applyConcurrency: 50, windowTypes: ['hour', 'day', 'week', 'month'], reserveMs: 5_000, archivePrefix: 'audit/' },
      retention: { hour: 90, day: 400, week: 800 },
      metricsNamespace: 'Millrace',
      requestTimeoutMs: 4_000,
      hintFromPerSec: 800,
    });
  });

  it('says all that can be said', () => {
    const variables = {
      ...LEAST,
      MILLRACE_WINDOW_TYPES: 'hour, month',
      MILLRACE_APPLY_CONCURRENCY: '200',
      MILLRACE_RETENTION_DAYS: 'hour=7,month=3650',
      MILLRACE_RESERVE_MS: '3000',
      MILLRACE_REQUEST_TIMEOUT_MS: '2000',
      MILLRACE_METRICS_NAMESPACE: 'Ours',
      MILLRACE_AUDIT_BUCKET: 'audit',
      MILLRACE_AUDIT_PREFIX: 'events/',
      MILLRACE_THRESHOLD_PERCENT: '75',
      MILLRACE_EVENT_BUS: 'limits',
      MILLRACE_SEAL_TYPES: 'month',
      MILLRACE_SEAL_LATE_HOURS: '36',
      MILLRACE_CHECK_LEDGER: 'false',
      MILLRACE_HINT_WRITES_PER_SEC: '500',
    };

    expect(environmentOf(variables)).toEqual({
      table: 'millrace',
      region: 'eu-central-1',
      options: { applyConcurrency: 200, windowTypes: ['hour', 'month'], reserveMs: 3_000, archivePrefix: 'events/' },
      retention: { hour: 7, month: 3_650 },
      metricsNamespace: 'Ours',
      requestTimeoutMs: 2_000,
      auditBucket: 'audit',
      thresholdRatio: 0.75,
      eventBus: 'limits',
      seals: { types: ['month'], lateMs: 36 * 3_600_000, checksLedger: false },
      hintFromPerSec: 500,
    });
    expect(
      Object.keys(variables)
        .filter((name) => name.startsWith('MILLRACE_'))
        .sort(),
    ).toEqual([...ENVIRONMENT_VARIABLES].sort());
  });

  it('hints at no split where the threshold is 0', () => {
    expect(environmentOf({ ...LEAST, MILLRACE_HINT_WRITES_PER_SEC: '0' })).not.toHaveProperty('hintFromPerSec');
  });

  it('seals a day after the end of a period, unless told otherwise', () => {
    expect(environmentOf({ ...LEAST, MILLRACE_SEAL_TYPES: 'day,month' }).seals).toEqual({
      types: ['day', 'month'],
      lateMs: 86_400_000,
      checksLedger: true,
    });
  });

  it('takes windows that are kept just until they are sealed, and any retention of those that are not', () => {
    const variables = { MILLRACE_SEAL_TYPES: 'day,month', MILLRACE_SEAL_LATE_HOURS: '72', MILLRACE_RETENTION_DAYS: 'hour=3,day=5' };

    expect(environmentOf({ ...LEAST, ...variables }).retention).toEqual({ hour: 3, day: 5 });
  });

  it('checks the ledger where days are sealed, unless told otherwise', () => {
    const checks = (variables: object) => environmentOf({ ...LEAST, ...variables }).seals?.checksLedger;

    expect(checks({ MILLRACE_SEAL_TYPES: 'hour,day', MILLRACE_CHECK_LEDGER: 'true' })).toBe(true);
    expect(checks({ MILLRACE_SEAL_TYPES: 'day', MILLRACE_CHECK_LEDGER: 'false' })).toBe(false);
    expect(checks({ MILLRACE_SEAL_TYPES: 'hour,month' })).toBe(false);
  });

  it.each([
    ['no table', { MILLRACE_TABLE: '' }, 'variable MILLRACE_TABLE must be the name of the table, got undefined'],
    ['no region', { AWS_REGION: undefined }, 'variable AWS_REGION'],
    ['a misspelt variable', { MILLRACE_APPLY_CONCURENCY: '10' }, '"MILLRACE_APPLY_CONCURENCY"'],
    ['a word for a number', { MILLRACE_APPLY_CONCURRENCY: 'many' }, 'a whole number from 1 to 200, got "many"'],
    ['too much at once', { MILLRACE_APPLY_CONCURRENCY: '201' }, 'a whole number from 1 to 200'],
    ['a window that there is none of', { MILLRACE_WINDOW_TYPES: 'hour,year' }, 'some of hour,day,week,month'],
    ['a retention that is none', { MILLRACE_RETENTION_DAYS: 'hour:9' }, 'like hour=90'],
    ['a retention shorter than the stream', { MILLRACE_RETENTION_DAYS: 'hour=1' }, 'from 3 to'],
    ['a retention shorter than its window', { MILLRACE_RETENTION_DAYS: 'month=31' }, 'from 34 to'],
    ['a reserve shorter than a request', { MILLRACE_RESERVE_MS: '4000' }, 'more than a request may take'],
    [
      'a seal of a window that is not kept',
      { MILLRACE_WINDOW_TYPES: 'day', MILLRACE_SEAL_TYPES: 'day,hour' },
      'some of the types that are kept, day',
    ],
    ['a seal of a window that there is none of', { MILLRACE_SEAL_TYPES: 'year' }, 'variable MILLRACE_SEAL_TYPES must be some of'],
    ['a time for late records without seals', { MILLRACE_SEAL_LATE_HOURS: '24' }, 'MILLRACE_SEAL_TYPES'],
    ['more than a week for late records', { MILLRACE_SEAL_TYPES: 'day', MILLRACE_SEAL_LATE_HOURS: '169' }, 'from 0 to 168'],
    [
      'a check of the ledger without seals',
      { MILLRACE_CHECK_LEDGER: 'true' },
      'MILLRACE_CHECK_LEDGER must be set beside MILLRACE_SEAL_TYPES',
    ],
    [
      'a check of days that are not sealed',
      { MILLRACE_SEAL_TYPES: 'month', MILLRACE_CHECK_LEDGER: 'true' },
      'day one of MILLRACE_SEAL_TYPES',
    ],
    ['a check that is neither', { MILLRACE_SEAL_TYPES: 'day', MILLRACE_CHECK_LEDGER: '1' }, 'must be true or false, got "1"'],
    ['a prefix that a path would not keep', { MILLRACE_AUDIT_PREFIX: 'audit/../logs/' }, 'without the parts "." and ".."'],
    [
      'a retention that ends before the seal',
      { MILLRACE_SEAL_TYPES: 'day', MILLRACE_SEAL_LATE_HOURS: '72', MILLRACE_RETENTION_DAYS: 'day=4' },
      'MILLRACE_RETENTION_DAYS must be 5 days or more of "day", which is sealed 72 hours after its end, got 4',
    ],
    ['a bus without a threshold', { MILLRACE_EVENT_BUS: 'limits' }, 'MILLRACE_THRESHOLD_PERCENT'],
  ])('with %s is refused, by the name of the variable', (_, variables, message) => {
    expect(() => environmentOf({ ...LEAST, ...variables })).toThrow(message);
  });
});
