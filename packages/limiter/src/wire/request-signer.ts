/**
 * The two functions that a signature is made of, as the runtime has them: Node's own, or those of k6. `Key` is what it
 * takes as a secret besides text.
 */
export interface Hashing<Key, Body> {
  sha256Hex(data: Body | string): string;
  hmac(key: Key | string, text: string): Key;
  hmacHex(key: Key, text: string): string;
}

/** What signs: an access key, with the token of its session if it is a temporary one. */
export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Where requests go, as far as a signature says it. */
export interface SigningScope {
  /** The `host` header, with the port where it is no usual one. */
  readonly host: string;
  /** The path of the endpoint as it is sent, mostly `/`. */
  readonly path: string;
  readonly region: string;
  /** AWS's name of the service in signatures. */
  readonly service: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** What stays the same from one request to the next: until the day, or the credentials, are others. */
interface Held<Key> {
  readonly credentials: SigningCredentials;
  readonly day: string;
  readonly key: Key;
  /** `20240102/eu-central-1/dynamodb/aws4_request` */
  readonly scope: string;
  /** The header `authorization` up to the signature. */
  readonly prefix: string;
}

/**
 * Signs requests to DynamoDB with AWS's Signature Version 4, as the SDK does, over as few headers as AWS allows. It keeps
 * what a signature shares with the one before: the key of the day costs four rounds of HMAC, a signature then one.
 */
export class RequestSigner<Key, Body> {
  readonly #scope: SigningScope;
  readonly #hashing: Hashing<Key, Body>;
  readonly #head: string;
  #held: Held<Key> | undefined;
  #second = Number.NaN;
  #dateTime = '';

  constructor(scope: SigningScope, hashing: Hashing<Key, Body>) {
    this.#scope = scope;
    this.#hashing = hashing;
    this.#head = `POST\n${canonicalPath(scope.path)}\n\nhost:${canonicalValue(scope.host)}\nx-amz-date:`;
  }

  /**
   * The headers that a request needs, besides those that are always the same: `[name, value, name, value, …]`.
   * `target` is the value of `x-amz-target`.
   */
  sign(credentials: SigningCredentials, target: string, body: Body | string, nowMs: number): string[] {
    const dateTime = this.#dateTimeAt(nowMs);
    const { key, scope, prefix } = this.#heldFor(credentials, dateTime.slice(0, 8));
    const token = credentials.sessionToken;
    const tokenLine = token ? `x-amz-security-token:${canonicalValue(token)}\n` : '';
    const { sha256Hex, hmacHex } = this.#hashing;
    const request = `${this.#head}${dateTime}\n${tokenLine}x-amz-target:${target}\n\n${signedHeaders(token)}\n${sha256Hex(body)}`;
    const toSign = `${ALGORITHM}\n${dateTime}\n${scope}\n${sha256Hex(request)}`;
    const authorization = prefix + hmacHex(key, toSign);
    const headers = ['x-amz-date', dateTime, 'authorization', authorization];
    if (token) headers.push('x-amz-security-token', token);
    return headers;
  }

  #dateTimeAt(nowMs: number): string {
    const second = Math.floor(nowMs / 1000);
    if (second === this.#second) return this.#dateTime;
    this.#dateTime = `${new Date(second * 1000).toISOString().slice(0, -5).replace(/[-:]/g, '')}Z`;
    this.#second = second;
    return this.#dateTime;
  }

  #heldFor(credentials: SigningCredentials, day: string): Held<Key> {
    if (this.#held?.credentials === credentials && this.#held.day === day) return this.#held;
    const { region, service } = this.#scope;
    const { hmac } = this.#hashing;
    const key = hmac(hmac(hmac(hmac(`AWS4${credentials.secretAccessKey}`, day), region), service), 'aws4_request');
    const scope = `${day}/${region}/${service}/aws4_request`;
    const names = signedHeaders(credentials.sessionToken);
    const prefix = `${ALGORITHM} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=`;
    this.#held = { credentials, day, key, scope, prefix };
    return this.#held;
  }
}

function signedHeaders(token: string | undefined): string {
  return token ? 'host;x-amz-date;x-amz-security-token;x-amz-target' : 'host;x-amz-date;x-amz-target';
}

/** A header's value as it is signed: without blanks at its ends, and with single ones inside. */
function canonicalValue(value: string): string {
  return value.replace(/\s+/g, ' ').trim();
}

/** A path as it is signed: empty segments and `.` left out, `..` followed, and what is escaped escaped again. */
function canonicalPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') segments.pop();
    else segments.push(segment);
  }
  const end = segments.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${segments.map(escapeSegment).join('/')}${end}`;
}

function escapeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
