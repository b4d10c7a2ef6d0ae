import { EXIT, runProgram } from './program.js';

// A service should hear that the SDK will want a newer Node; who makes load need not.
Object.assign(process.env, { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' });
// Ctrl-C reaches k6 as well, which then ends its turns and writes what it has; the report is made of that.
process.on('SIGINT', () => undefined);
try {
  process.exitCode = await runProgram(process.argv.slice(2), process);
} catch (error) {
  process.stderr.write(`load: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = EXIT.failed;
}
