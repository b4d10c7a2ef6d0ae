import { isMillraceError } from '@millrace/core';
import { EXIT } from './exit-codes.js';
import { runProgram, type Terminal } from './program.js';

/**
 * Runs one command for the process that it is called in, and gives the exit code. It throws nothing. The first Ctrl-C, or
 * SIGTERM, ends a run early: what it has by then is reported. The second one waits for nothing.
 */
export async function runFromShell(args: readonly string[], terminal: Omit<Terminal, 'signal'>): Promise<number> {
  // A service should hear that the SDK will want a newer Node; who makes load need not.
  Object.assign(process.env, { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' });
  const ended = new AbortController();
  const end = (): void => {
    if (ended.signal.aborted) process.exit(EXIT.interrupted);
    terminal.stderr.write('\nload: the run is ended; once more waits for nothing\n');
    ended.abort();
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  try {
    return await runProgram(args, { ...terminal, signal: ended.signal });
  } catch (error) {
    terminal.stderr.write(`load: ${error instanceof Error ? error.message : String(error)}\n`);
    if (isMillraceError(error) && error.code === 'UNAVAILABLE')
      terminal.stderr.write(
        'hint: does a DynamoDB answer there? Without --endpoint and DYNAMODB_ENDPOINT a run starts an engine of its own\n',
      );
    return isMillraceError(error) && error.code === 'VALIDATION' ? EXIT.usage : EXIT.failed;
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}
