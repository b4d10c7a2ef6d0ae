import type { DynamoDBDocumentClientCommand } from '@aws-sdk/lib-dynamodb';

/** A command of the document client, whatever it asks for. */
type DocumentCommand = DynamoDBDocumentClientCommand<never, never, never, never, never>;

/** The step of a document command that turns values into DynamoDB's JSON and back; only the SDK's own subclasses see it. */
interface Translating {
  addMarshallingMiddleware(configuration: { readonly translateConfig: object }): void;
}

/**
 * Makes a document command translate as we need it, whatever client sends it. Options of translation belong to a client,
 * and the client may be the user's: numbers that it wraps, or values that it drops, would not be what administration
 * wrote. Making a document client of our own around it would overwrite its options.
 */
export function translated<Command extends object>(command: Command): Command {
  const target = command as unknown as Translating & DocumentCommand;
  const translate = target.addMarshallingMiddleware.bind(target);
  const translateConfig = { marshallOptions: {}, unmarshallOptions: { wrapNumbers: exactly } };
  target.addMarshallingMiddleware = () => translate({ translateConfig });
  return command;
}

/** A number as it is: a bigint where a number of JavaScript would be another one, which only counters of buckets ever are. */
function exactly(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(text) ? value : BigInt(text);
}
