import { createTable } from '@millrace/limiter/admin';
import { type LocalEngine, launchEngine } from '@millrace/testing';
import { LiveLedger } from '../live-ledger.js';
import { parseEngineArguments, USAGE } from './arguments.js';

/** What a shell is told, so that every command of this repository, and a service of one's own, finds the engine. */
function shellLines({ endpoint, region, credentials }: LocalEngine, table: string): string {
  return [
    `export AWS_ENDPOINT_URL_DYNAMODB=${endpoint} AWS_REGION=${region}`,
    `export AWS_ACCESS_KEY_ID=${credentials.accessKeyId} AWS_SECRET_ACCESS_KEY=${credentials.secretAccessKey}`,
    `export MILLRACE_TABLE=${table}`,
  ].join('\n');
}

async function main(args: readonly string[]): Promise<number> {
  const parsed = parseEngineArguments(args);
  if (parsed.kind === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    process.stderr.write(`engine: ${parsed.message}\n\n${USAGE}`);
    return 2;
  }

  // Once: whoever asks a second time does not want to wait. The engine ends with this process anyway.
  const interrupted = new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  const { port, table } = parsed;
  // One of somebody else's is not started, and would outlive the table's name: `DYNAMODB_ENDPOINT` is passed over.
  const env = { ...process.env, DYNAMODB_ENDPOINT: '' };
  await using engine = await launchEngine({ env, ...(port === 0 ? {} : { port }) });
  const { endpoint, region, credentials } = engine;
  await createTable({ table, endpoint, region, credentials });
  await using ledger = await LiveLedger.open(engine, table);
  process.stdout.write(
    `${engine.name} answers at ${endpoint}, in memory, with the table ${table}; its usage ledger is booked within a second.\n` +
      `In another terminal:\n\n${shellLines(engine, table)}\npnpm millrace doctor\n\nCtrl-C ends it, and the table is gone.\n`,
  );
  await Promise.race([interrupted, ledger.ended()]);
  process.stdout.write('\nended: the engine and its table are gone\n');
  return 0;
}

// A service should hear that the SDK will want a newer Node; who tries something out need not.
Object.assign(process.env, { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' });
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`engine: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
