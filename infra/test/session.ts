import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';

/** Credentials of a role. */
export interface Session {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** Takes a role on, as a service or an operator would; `tags` are those of the session. */
export async function sessionOf(roleArn: string, tags: Readonly<Record<string, string>> = {}): Promise<Session> {
  const client = new STSClient({});
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const request = { RoleArn: roleArn, RoleSessionName: 'deploy-test', ...(Tags.length === 0 ? {} : { Tags }) };
  try {
    const { Credentials: given } = await client.send(new AssumeRoleCommand(request));
    if (!given?.AccessKeyId || !given.SecretAccessKey || !given.SessionToken) throw new Error(`${roleArn} gave no credentials`);
    return { accessKeyId: given.AccessKeyId, secretAccessKey: given.SecretAccessKey, sessionToken: given.SessionToken };
  } finally {
    client.destroy();
  }
}
