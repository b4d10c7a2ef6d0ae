import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { stageOf } from '../stage.js';
import { command } from './command-line.js';

const stages = { dev: { keepsData: false }, prod: {} };
const stageWith = (context: Readonly<Record<string, unknown>>) => stageOf(new App({ context: { stages, ...context } }).node);

describe('the context of the app', () => {
  it('is read with keys of the CDK beside it, which are not ours', () => {
    const context = { 'aws:cdk:enable-path-metadata': true, 'availability-zones:account=1': [], '@aws-cdk/core:explicitStackTags': true };
    const ours = { namespaceIds: '0123456789ab,ba9876543210', runbookUrl: 'https://wiki/limits' };

    expect(stageWith({ ...context, ...ours })).toMatchObject({
      namespaceIds: ['0123456789ab', 'ba9876543210'],
      keepsData: false,
      runbookUrl: 'https://wiki/limits',
    });
  });

  it.each([
    ['a stage that there is not', { stage: 'nope' }, 'context "stage" must be one of dev, prod, got: nope'],
    ['memory that is no number', { aggregatorMemoryMb: 'abc' }, 'context "aggregatorMemoryMb" must be a whole number, got: abc'],
    ['a folder that there is not', { loadAssets: 'no/such' }, 'got a path where there is nothing: no/such'],
    ['a manifest that there is not', { limitsFile: 'no.yaml' }, 'got a path where there is nothing: no.yaml'],
    ['a name where an id belongs', { namespaceIds: '0123456789ab,xyz' }, 'context "namespaceIds" must be ids of namespaces'],
    ['a misspelt setting', { namespaceId: '0123456789ab' }, 'got: namespaceId'],
    ['a word of nobody', { foo: 'bar' }, 'got: foo'],
  ])('is refused with %s', (_what, context, message) => {
    expect(() => stageWith(context)).toThrow(message);
  });

  it('is refused in one line, without a trace', async () => {
    const ended = await command(process.execPath, ['infra/dist/bin/app.js'], {
      CDK_CONTEXT_JSON: JSON.stringify({ stages, stage: 'nope' }),
    });

    expect(ended).toEqual({ code: 1, said: 'millrace: context "stage" must be one of dev, prod, got: nope\n' });
  });
});
