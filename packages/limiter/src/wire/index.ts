export { type Consumed, type RequestListener, tell } from './consumed-units.js';
export { DynamoStore } from './dynamo-store.js';
export { failureFor } from './failures.js';
export { OPERATION_TARGET, readReply } from './reply.js';
export { type Hashing, RequestSigner, type SigningCredentials, type SigningScope } from './request-signer.js';
export type { UpdateReply, WireOperation, WireOperations, WireTransport } from './wire-transport.js';
