import type { EngineCredentials, LocalEngine } from './local-engine.js';

/** The engine that `DYNAMODB_ENDPOINT` names, if it does: somebody else's to start and to end. */
export function namedEndpoint(env: NodeJS.ProcessEnv): LocalEngine | undefined {
  const { DYNAMODB_ENDPOINT: endpoint, AWS_REGION: region, AWS_DEFAULT_REGION: defaultRegion } = env;
  if (endpoint === undefined || endpoint === '') return undefined;
  if (!URL.canParse(endpoint)) {
    throw new Error(`DYNAMODB_ENDPOINT: "${endpoint}" is no address; write it as http://127.0.0.1:8000, or unset it`);
  }
  const nothingToEnd = (): Promise<void> => Promise.resolve();
  return {
    name: 'endpoint',
    endpoint,
    region: region || defaultRegion || 'us-east-1',
    credentials: environmentCredentials(env),
    close: nothingToEnd,
    [Symbol.asyncDispose]: nothingToEnd,
  };
}

/** Half a pair is none: an endpoint that verifies would refuse it, and the others take anything. */
function environmentCredentials(env: NodeJS.ProcessEnv): EngineCredentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = env;
  if (!accessKeyId || !secretAccessKey) return { accessKeyId: 'millrace', secretAccessKey: 'millrace' };
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}
