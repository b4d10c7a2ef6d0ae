import { OPERATION_TARGET, RequestSigner } from '@millrace/limiter/wire';
import execution from 'k6/execution';
import http from 'k6/http';
import { USER_PLACE } from '../plan/bare.js';
import { SYSTEM_TAGS } from '../plan/program-options.js';
import { K6_HASHING } from './hashing.js';

/** It notes with each sample what the limiter's runs note. */
export const bareOptions = { systemTags: [...SYSTEM_TAGS] };

/**
 * One signed request and the reading of its reply, and nothing else: what any client of DynamoDB does in k6 at least, and
 * what the limiter's own code is measured against.
 */
export function bareTurn(env: Readonly<Record<string, string>>): () => Promise<void> {
  const { BARE_ENDPOINT: endpoint = '', BARE_REGION: region = '', BARE_BODY: template = '' } = env;
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = env;
  const credentials = { accessKeyId, secretAccessKey };
  const host = endpoint.slice(endpoint.indexOf('//') + 2);
  const signer = new RequestSigner({ host, path: '/', region, service: 'dynamodb' }, K6_HASHING);
  const target = OPERATION_TARGET.UpdateItem;
  let body = '';

  return async () => {
    if (body === '') body = template.replaceAll(USER_PLACE, `user-${execution.vu.idInTest}`);
    const headers: Record<string, string> = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target };
    const signed = signer.sign(credentials, target, body, Date.now());
    for (let index = 0; index < signed.length; index += 2) headers[signed[index] ?? ''] = signed[index + 1] ?? '';
    const reply = await http.asyncRequest('POST', `${endpoint}/`, body, { headers, timeout: '30s', tags: { name: 'UpdateItem' } });
    if (reply.status !== 200) throw new Error(`the bare request was answered ${reply.status} ${reply.body}`);
    JSON.parse(String(reply.body));
  };
}
