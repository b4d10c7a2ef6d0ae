import { MillraceError, ValidationError } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.js';
import { CliFailure, failureJson, failureText, reportOf } from './failure.js';
import { PLAIN } from './render/style.js';

describe('a failure', () => {
  it('says for people what is wrong, and then what to do', () => {
    const report = reportOf(new MillraceError('NAMESPACE_NOT_FOUND', 'table "millrace" has no namespace "prd"'));

    expect(failureText(report, PLAIN)).toBe(
      'error: table "millrace" has no namespace "prd"\n' +
        'hint: "millrace namespace list" shows those there are, "millrace namespace register" makes one\n',
    );
  });

  it('is one JSON document for programs, with what the error holds beside its message', () => {
    const report = reportOf(new ValidationError('limit', 'written as name:tokens/period', 'rpm=1'));

    expect(JSON.parse(failureJson(report))).toEqual({
      error: {
        code: 'VALIDATION',
        message: 'limit must be written as name:tokens/period, got "rpm=1"',
        subject: 'limit',
        expected: 'written as name:tokens/period',
        value: 'rpm=1',
      },
    });
  });

  it('has for programs what its data says beside the fields of other errors, and not within a field of its own', () => {
    const data = { table: 'millrace', namespace: 'prd', namespaceId: '0123456789ab', state: 'deleted' } as const;
    const report = reportOf(new MillraceError('NAMESPACE_STATE', 'namespace "prd" is deleted', { data }));

    expect(JSON.parse(failureJson(report))).toEqual({
      error: { code: 'NAMESPACE_STATE', message: 'namespace "prd" is deleted', hint: expect.any(String), ...data },
    });
  });

  it('ends with the code of its kind', () => {
    expect(reportOf(new ValidationError('x', 'y', 'z')).exitCode).toBe(EXIT.usage);
    expect(reportOf(new CliFailure('USAGE', 'x')).exitCode).toBe(EXIT.usage);
    expect(reportOf(new CliFailure('NOT_CONFIRMED', 'x')).exitCode).toBe(EXIT.failed);
    expect(reportOf(new MillraceError('RATE_LIMIT_EXCEEDED', 'x')).exitCode).toBe(EXIT.refused);
    expect(reportOf(new MillraceError('ACCESS_DENIED', 'x')).exitCode).toBe(EXIT.failed);
    expect(reportOf(new TypeError('x'))).toMatchObject({ exitCode: EXIT.failed, code: 'UNEXPECTED' });
  });
});
