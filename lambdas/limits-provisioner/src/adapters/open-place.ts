import { isMillraceError } from '@millrace/core';
import { type OpenAdministrationOptions, openAdministration, openNamespaces } from '@millrace/limiter/admin';
import type { OpenPlace, Place } from '../ports.js';

/** How DynamoDB is reached; what is left out comes from the environment, as Lambda sets it. */
export type Reaching = Pick<OpenAdministrationOptions, 'endpoint' | 'region' | 'credentials' | 'requestTimeoutMs' | 'deadlineMs'>;

/** One request may take so long, and one step with its repetitions so long: less than is kept for the answer. */
const REQUEST_TIMEOUT_MS = 2_000;
const DEADLINE_MS = 6_000;

/** Opens a namespace of a table; one that is not there is registered where that is wanted. */
export async function openPlace(
  { table, namespace }: Place,
  { register, actor }: { readonly register: boolean; readonly actor: string },
  reaching: Reaching = {},
): Promise<OpenPlace> {
  const common = { table, actor, requestTimeoutMs: REQUEST_TIMEOUT_MS, deadlineMs: DEADLINE_MS, ...reaching };
  try {
    return await openAdministration({ ...common, namespace });
  } catch (error) {
    if (!register || !isMillraceError(error) || error.code !== 'NAMESPACE_NOT_FOUND') throw error;
  }
  const { namespaces, close } = await openNamespaces(common);
  try {
    await namespaces.register(namespace);
  } finally {
    await close();
  }
  return openAdministration({ ...common, namespace });
}
