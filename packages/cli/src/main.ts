#!/usr/bin/env node
import { run } from './program.js';

// A service should hear that the SDK will want a newer Node; on a command line it would be noise beside each answer.
Object.assign(process.env, { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' });
// `millrace entity list | head`: who reads no further has all that was wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const { stdout, stderr, stdin, env } = process;
process.exitCode = await run(process.argv.slice(2), { out: stdout, err: stderr, in: stdin, env });
