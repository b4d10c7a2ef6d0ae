/** What a run wants of its surroundings. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** Told what is being done. */
  readonly say: (text: string) => void;
  /** Told how far it has come, once a second. */
  readonly show?: (text: string) => void;
  /** Told the name of each Fargate task that was started. */
  readonly onTask?: (arn: string) => void;
  /** Ends the run early: what it has by then is reported, as a part. */
  readonly signal?: AbortSignal;
}
