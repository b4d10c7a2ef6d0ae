import { createHash, createHmac } from 'node:crypto';

/** What a request is signed with. */
export interface SigningKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** A PUT that is to be signed. */
export interface SignedPut {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly region: string;
  readonly nowMs: number;
  readonly keys: SigningKeys;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The headers of a PUT to S3, signed by AWS's Signature Version 4. The path must be encoded as S3 wants it: see {@link encodePath}. */
export function signPut({ url, headers, body, region, nowMs, keys }: SignedPut): Readonly<Record<string, string>> {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': sha256(body),
    'x-amz-date': time,
    ...(keys.sessionToken === undefined ? {} : { 'x-amz-security-token': keys.sessionToken }),
  };
  const names = Object.keys(all).sort();
  const lines = names.map((name) => `${name}:${all[name]?.trim()}\n`).join('');
  const canonical = ['PUT', url.pathname, '', lines, names.join(';'), all['x-amz-content-sha256']].join('\n');
  const toSign = [ALGORITHM, time, scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<Uint8Array | string>((secret, part) => hmac(secret, part), `AWS4${keys.secretAccessKey}`);
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  const authorization = `${ALGORITHM} Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...all, authorization };
}

/** A key as a path: every byte but letters, digits, `-._~` and the slash is escaped. */
export function encodePath(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Uint8Array, data: string): Uint8Array {
  return createHmac('sha256', key).update(data).digest();
}
