/** The engines this package knows how to start. */
export type EngineName = 'dynoxide' | 'extenddb' | 'dynamodb-local';

/** What a client signs with; only ExtendDB and AWS look at it. */
export interface EngineCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** A DynamoDB endpoint that answers, and the way to be rid of it. */
export interface LocalEngine extends AsyncDisposable {
  /** `endpoint` is one that somebody else runs, named by `DYNAMODB_ENDPOINT`. */
  readonly name: EngineName | 'endpoint';
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: EngineCredentials;
  /** Ends the process and removes its folder; does nothing the second time, or to an engine of somebody else. */
  close(): Promise<void>;
}
