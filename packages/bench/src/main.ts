import { BENCHES } from './benches.js';
import { EXIT, runProgram } from './program.js';

// A service should hear that the SDK will want a newer Node; who reads figures need not.
Object.assign(process.env, { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' });
try {
  process.exitCode = await runProgram(BENCHES, process.argv.slice(2), process);
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = EXIT.failed;
}
