/**
 * What the event source mapping lets through, in Lambda's language of filter patterns; whatever matches one of them comes.
 * All else in the table, the ledger's own windows above all, would wake the function for nothing.
 *
 * They look at attributes, not at keys: keys begin with the id of a namespace, and Lambda can only look at how a text begins.
 */
export const STREAM_FILTERS = [
  // A bucket after a write: nothing else has a write number.
  { dynamodb: { NewImage: { seq: { N: [{ exists: true }] } } } },
  // An audit event, when it is written and when it has expired: nothing else has an action.
  { eventName: ['INSERT'], dynamodb: { NewImage: { action: { S: [{ exists: true }] } } } },
  {
    userIdentity: { type: ['Service'], principalId: ['dynamodb.amazonaws.com'] },
    dynamodb: { OldImage: { action: { S: [{ exists: true }] } } },
  },
] as const;
