import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { LimiterTable } from './limiter-table.js';

describe('the table', () => {
  it('has the keys of core and a stream with both images', () => {
    const stack = new Stack(new App(), 'Stack');
    new LimiterTable(stack, 'Table');
    const template = Template.fromStack(stack);
    template.hasResourceProperties('AWS::DynamoDB::Table', { StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' } });
    expect(Object.keys(template.findResources('AWS::DynamoDB::Table'))).toHaveLength(1);
  });
});
