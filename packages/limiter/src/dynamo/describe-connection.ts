import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { checkKeys, MillraceError, StoreFailure } from '@millrace/core';
import { type ConnectionOptions, connect } from './client.js';

/** What AWS's usual chain has come to. */
export interface ConnectionDescription {
  readonly region: string;
  /** Whose requests they are; the secret half is not looked at. */
  readonly accessKeyId: string;
  /** Where requests go: scheme, host and port. */
  readonly endpoint: string;
}

/**
 * Tells how DynamoDB would be reached, and sends nothing to it: an environment, a profile and a file may each have a say
 * in that, and what came of it shows nowhere else. Finding credentials may ask services for them.
 *
 * @throws ValidationError for the option "region" or "endpoint"
 * @throws MillraceError `CREDENTIALS`
 */
export async function describeConnection(options: Omit<ConnectionOptions, 'client'>): Promise<ConnectionDescription> {
  checkKeys('options', options, ['endpoint', 'region', 'credentials']);
  try {
    const { client, close } = await connect(options, '');
    try {
      let endpoint = '';
      // The address is put together while a request is: so one is made, and taken out before it is signed and sent.
      client.middlewareStack.add(
        () =>
          async ({ request }) => {
            endpoint = addressOf(request);
            return { response: {}, output: { $metadata: {} } };
          },
        { step: 'build', name: 'addressOnly' },
      );
      await client.send(new ListTablesCommand({}));
      const [region, { accessKeyId }] = await Promise.all([client.config.region(), client.config.credentials()]);
      return { region, accessKeyId, endpoint };
    } finally {
      close();
    }
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    // No table is meant here, though the failure names one.
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new MillraceError('CREDENTIALS', `no usable AWS credentials: ${cause}`, { cause: error });
  }
}

function addressOf(request: unknown): string {
  const { protocol, hostname, port } = request as { readonly protocol: string; readonly hostname: string; readonly port?: number };
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
}
