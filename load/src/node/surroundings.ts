/** What a run wants of its surroundings. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** Told what is being done. */
  readonly say: (text: string) => void;
}
