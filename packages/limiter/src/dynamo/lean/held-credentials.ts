import type { SigningCredentials } from '../../wire/request-signer.js';
import { WireError } from '../../wire/wire-error.js';

/** Credentials as the SDK's providers give them. */
export interface ProvidedCredentials extends SigningCredentials {
  readonly expiration?: Date | undefined;
}

/** The SDK's own resolution, which remembers what it found; `forceRefresh` makes it ask again. */
export type CredentialProvider = (options?: { readonly forceRefresh: boolean }) => Promise<ProvidedCredentials>;

/** The SDK asks for new ones that long before the old ones expire. */
const RENEW_BEFORE_MS = 300_000;
/** Credentials that are refused are asked for again no more often than that, however many requests are refused. */
const MIN_REFRESH_GAP_MS = 1_000;

/** The credentials in use. Nothing is awaited for those that still hold: that is every request but a few. */
export class HeldCredentials {
  readonly #provider: CredentialProvider;
  #held: ProvidedCredentials | undefined;
  #renewAtMs = 0;
  #asking: Promise<ProvidedCredentials> | undefined;
  #refreshedAtMs = Number.NEGATIVE_INFINITY;

  constructor(provider: CredentialProvider) {
    this.#provider = provider;
  }

  /** The credentials, if they need not be asked for. */
  at(nowMs: number): ProvidedCredentials | undefined {
    return nowMs < this.#renewAtMs ? this.#held : undefined;
  }

  /** Asks for credentials, once for all who ask at the same time. Old ones serve as long as they hold if there are no new ones. */
  async ask(nowMs: number): Promise<ProvidedCredentials> {
    try {
      return await this.#ask(false);
    } catch (error) {
      if (this.#held?.expiration !== undefined && this.#held.expiration.getTime() > nowMs) return this.#held;
      throw error;
    }
  }

  /** What to try instead of credentials that were refused; undefined if there is nothing else. */
  async instead(refused: SigningCredentials, nowMs: number): Promise<ProvidedCredentials | undefined> {
    if (this.#held !== undefined && !isSame(this.#held, refused)) return this.#held;
    if (this.#asking === undefined && nowMs >= this.#refreshedAtMs && nowMs < this.#refreshedAtMs + MIN_REFRESH_GAP_MS) return undefined;
    this.#refreshedAtMs = nowMs;
    const found = await this.#ask(true);
    return isSame(found, refused) ? undefined : found;
  }

  #ask(forceRefresh: boolean): Promise<ProvidedCredentials> {
    this.#asking ??= this.#take(forceRefresh).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #take(forceRefresh: boolean): Promise<ProvidedCredentials> {
    let found: ProvidedCredentials;
    try {
      found = await this.#provider(forceRefresh ? { forceRefresh } : undefined);
    } catch (error) {
      throw new WireError('CredentialsProviderError', String((error as Error)?.message ?? error), { cause: error });
    }
    // The same object for the same credentials, so that what was derived from them stays good.
    if (this.#held === undefined || !isSame(this.#held, found) || this.#held.expiration !== found.expiration) this.#held = found;
    this.#renewAtMs = found.expiration === undefined ? Number.POSITIVE_INFINITY : found.expiration.getTime() - RENEW_BEFORE_MS;
    return this.#held;
  }
}

function isSame(a: SigningCredentials, b: SigningCredentials): boolean {
  return a.accessKeyId === b.accessKeyId && a.secretAccessKey === b.secretAccessKey && a.sessionToken === b.sessionToken;
}
