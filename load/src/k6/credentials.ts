import type { SigningCredentials } from '@millrace/limiter/wire';
import http from 'k6/http';

/** The environment's variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a container's service answers. */
interface ServedCredentials {
  readonly AccessKeyId: string;
  readonly SecretAccessKey: string;
  readonly Token?: string;
  readonly Expiration?: string;
}

/** New ones are asked for so long before the old ones end. */
const AHEAD_MS = 300_000;
/** Where the service of a Fargate task is. */
const TASK_SERVICE = 'http://169.254.170.2';

/**
 * Where requests get their signatures from: the keys of the environment, or, where they end before the run does, the
 * service that AWS gives to containers, or another one of its kind, by AWS's own variables for it.
 */
export class Credentials {
  readonly #env: Environment;
  #held: SigningCredentials | undefined;
  #untilMs = Number.NEGATIVE_INFINITY;
  #asked: Promise<SigningCredentials> | undefined;

  constructor(env: Environment) {
    this.#env = env;
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = env;
    if (serviceOf(env) !== undefined || !accessKeyId || !secretAccessKey) return;
    this.#held = { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
    this.#untilMs = Number.POSITIVE_INFINITY;
  }

  /** Those to sign with now; undefined where they have to be asked for. */
  at(nowMs: number): SigningCredentials | undefined {
    return nowMs < this.#untilMs ? this.#held : undefined;
  }

  /** Asks for them, once for all who wait. */
  ask(): Promise<SigningCredentials> {
    this.#asked ??= this.#fetch().finally(() => {
      this.#asked = undefined;
    });
    return this.#asked;
  }

  async #fetch(): Promise<SigningCredentials> {
    const url = serviceOf(this.#env);
    if (url === undefined) throw credentialsError('no keys in the environment, and no service to ask for them');
    const token = this.#env['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
    const reply = await http.asyncRequest('GET', url, null, {
      ...(token ? { headers: { Authorization: token } } : {}),
      tags: { name: 'credentials' },
      timeout: '5000ms',
    });
    if (reply.status !== 200) throw credentialsError(`the service for credentials answered ${reply.status} ${reply.error}`);
    const served = JSON.parse(String(reply.body)) as ServedCredentials;
    this.#held = {
      accessKeyId: served.AccessKeyId,
      secretAccessKey: served.SecretAccessKey,
      ...(served.Token ? { sessionToken: served.Token } : {}),
    };
    this.#untilMs = served.Expiration === undefined ? Number.POSITIVE_INFINITY : Date.parse(served.Expiration) - AHEAD_MS;
    return this.#held;
  }
}

function serviceOf(env: Environment): string | undefined {
  if (env['AWS_CONTAINER_CREDENTIALS_FULL_URI']) return env['AWS_CONTAINER_CREDENTIALS_FULL_URI'];
  const path = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  return path ? TASK_SERVICE + path : undefined;
}

function credentialsError(message: string): Error {
  return Object.assign(new Error(message), { name: 'CredentialsProviderError' });
}
