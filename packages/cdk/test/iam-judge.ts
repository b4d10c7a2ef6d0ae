import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { RecordedAction } from './recorded-request.js';

/** The table of all statements that are judged. */
export const TABLE_ARN = 'arn:aws:dynamodb:us-east-1:123456789012:table/millrace';

/** A statement as IAM gets it. */
export interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: string;
  readonly Condition?: { readonly 'ForAllValues:StringLike': { readonly 'dynamodb:LeadingKeys': readonly string[] } };
}

export const jsonOf = (statements: readonly PolicyStatement[]): readonly Statement[] => statements.map((one) => one.toStatementJson());

/** The stars of our patterns stand for anything; they hold no other sign that means something to IAM. */
function isLike(key: string, pattern: string): boolean {
  return new RegExp(`^${pattern.replace(/[$.{}/]/g, '\\$&').replaceAll('*', '.*')}$`).test(key);
}

/** As IAM judges it: some statement allows the action on all of its keys. */
export function isAllowed(statements: readonly Statement[], { action, leadingKeys, index }: RecordedAction): boolean {
  return statements.some(({ Action: actions, Resource: resource, Condition: condition }) => {
    if (![actions].flat().includes(action) || resource !== (index === undefined ? TABLE_ARN : `${TABLE_ARN}/index/${index}`)) return false;
    const patterns = condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
    return patterns === undefined || leadingKeys.every((key) => patterns.some((pattern) => isLike(key, pattern)));
  });
}

/** What was sent and is not allowed. */
export const refused = (statements: readonly Statement[], recorded: readonly RecordedAction[]): readonly string[] =>
  recorded.filter((one) => !isAllowed(statements, one)).map(({ action, leadingKeys }) => `${action} ${leadingKeys.join(' ')}`);

/** What is allowed and was never sent: of each statement one action on one pattern of keys, which is as finely as it says anything. */
export const unused = (statements: readonly Statement[], recorded: readonly RecordedAction[]): readonly string[] =>
  statements.flatMap(({ Action: actions, Resource: resource, Condition: condition }) =>
    [actions].flat().flatMap((action) =>
      (condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'] ?? ['*'])
        .filter((pattern) => {
          const index = resource.split('/index/')[1];
          const isOn = ({ leadingKeys }: RecordedAction): boolean => pattern === '*' || leadingKeys.some((key) => isLike(key, pattern));
          return !recorded.some((one) => one.action === action && one.index === index && isOn(one));
        })
        .map((pattern) => `${action} ${pattern}`),
    ),
  );
