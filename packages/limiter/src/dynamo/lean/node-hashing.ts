import { createHmac, hash } from 'node:crypto';
import type { Hashing } from '../../wire/request-signer.js';

/** Node's own hashes, for signatures. */
export const NODE_HASHING: Hashing<Buffer, Uint8Array> = {
  sha256Hex: (data) => hash('sha256', data, 'hex'),
  hmac: (key, text) => createHmac('sha256', key).update(text).digest(),
  hmacHex: (key, text) => createHmac('sha256', key).update(text).digest('hex'),
};
