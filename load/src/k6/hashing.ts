import type { Hashing } from '@millrace/limiter/wire';
import crypto from 'k6/crypto';

/** k6's hashes are Go's: a signature takes some twenty microseconds, where one in plain JavaScript takes ten milliseconds. */
export const K6_HASHING: Hashing<ArrayBuffer, string> = {
  sha256Hex: (data) => crypto.sha256(data, 'hex'),
  hmac: (key, text) => crypto.hmac('sha256', key, text, 'binary'),
  hmacHex: (key, text) => crypto.hmac('sha256', key, text, 'hex'),
};
