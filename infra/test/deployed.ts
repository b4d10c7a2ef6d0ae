import { RateLimiter, type RateLimiterOptions } from '@millrace/limiter';
import { inject } from 'vitest';
import { type Session, sessionOf } from './session.js';

/** What the app's outputs say, and what the operator's role made of the empty table. */
export interface Deployed {
  readonly table: string;
  readonly aggregator: string;
  readonly failureQueue: string;
  readonly alarmTopic: string;
  readonly auditBucket: string;
  /** The ARNs of the roles by their outputs: `AcquireRoleArn`, and so on. */
  readonly roles: Readonly<Record<string, string>>;
  /** By the namespaces' names. */
  readonly namespaceIds: Readonly<Record<string, string>>;
}

declare module 'vitest' {
  interface ProvidedContext {
    deployed: Deployed;
  }
}

/** The stacks that every file may use. */
export const deployed: Deployed = inject('deployed');

/** Credentials of one of the roles, by the name of its output without `RoleArn`. */
export function roleSession(role: string, tags?: Readonly<Record<string, string>>): Promise<Session> {
  const arn = deployed.roles[`${role}RoleArn`];
  if (arn === undefined) throw new Error(`no role "${role}" was deployed, only ${Object.keys(deployed.roles).join(', ')}`);
  return sessionOf(arn, tags);
}

/** The emulator is one process beside all that it runs: on a busy machine it takes longer than DynamoDB would be given. */
export const PATIENCE = { requestTimeoutMs: 10_000, deadlineMs: 30_000 };

/** A limiter under one of the roles, and nothing else. */
export async function limiterAs(role: string, options: Partial<RateLimiterOptions> = {}): Promise<RateLimiter> {
  return RateLimiter.open({
    table: deployed.table,
    ...PATIENCE,
    ...options,
    credentials: options.credentials ?? (await roleSession(role)),
  });
}
