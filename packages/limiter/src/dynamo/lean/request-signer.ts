import { createHmac, hash } from 'node:crypto';

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
interface Held {
  readonly credentials: SigningCredentials;
  readonly day: string;
  readonly key: Buffer;
  /** `20240102/eu-central-1/dynamodb/aws4_request` */
  readonly scope: string;
  /** The header `authorization` up to the signature. */
  readonly prefix: string;
}

/**
 * Signs requests to DynamoDB with AWS's Signature Version 4, as the SDK does, over as few headers as AWS allows. It keeps
 * what a signature shares with the one before: the key of the day costs four rounds of HMAC, a signature then one.
 */
export class RequestSigner {
  readonly #scope: SigningScope;
  readonly #head: string;
  #held: Held | undefined;
  #second = Number.NaN;
  #dateTime = '';

  constructor(scope: SigningScope) {
    this.#scope = scope;
    this.#head = `POST\n${canonicalPath(scope.path)}\n\nhost:${canonicalValue(scope.host)}\nx-amz-date:`;
  }

  /**
   * The headers that a request needs, besides those that are always the same: `[name, value, name, value, …]`.
   * `target` is the value of `x-amz-target`.
   */
  sign(credentials: SigningCredentials, target: string, body: Uint8Array, nowMs: number): string[] {
    const dateTime = this.#dateTimeAt(nowMs);
    const { key, scope, prefix } = this.#heldFor(credentials, dateTime.slice(0, 8));
    const token = credentials.sessionToken;
    const tokenLine = token ? `x-amz-security-token:${canonicalValue(token)}\n` : '';
    const request = `${this.#head}${dateTime}\n${tokenLine}x-amz-target:${target}\n\n${signedHeaders(token)}\n${hash('sha256', body, 'hex')}`;
    const toSign = `${ALGORITHM}\n${dateTime}\n${scope}\n${hash('sha256', request, 'hex')}`;
    const authorization = prefix + createHmac('sha256', key).update(toSign).digest('hex');
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

  #heldFor(credentials: SigningCredentials, day: string): Held {
    if (this.#held?.credentials === credentials && this.#held.day === day) return this.#held;
    const { region, service } = this.#scope;
    const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${credentials.secretAccessKey}`) as Buffer;
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

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
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
