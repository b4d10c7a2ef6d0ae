import { createHash, createHmac } from 'node:crypto';

type Data = string | ArrayBuffer;

function bytes(data: Data): Buffer {
  return typeof data === 'string' ? Buffer.from(data) : Buffer.from(data);
}

function put(buffer: Buffer, encoding: 'hex' | 'binary'): string | ArrayBuffer {
  if (encoding === 'hex') return buffer.toString('hex');
  return buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength) as ArrayBuffer;
}

/** k6's hashes by Node's. */
const crypto = {
  sha256: (data: Data, encoding: 'hex' | 'binary') => put(createHash('sha256').update(bytes(data)).digest(), encoding),
  hmac: (algorithm: string, key: Data, data: Data, encoding: 'hex' | 'binary') =>
    put(createHmac(algorithm, bytes(key)).update(bytes(data)).digest(), encoding),
};

// biome-ignore lint/style/noDefaultExport: k6's modules have one
export default crypto;
