#!/usr/bin/env node
import { EXIT } from './exit-codes.js';
import { CliFailure } from './failure.js';
import { run } from './program.js';
import { tellFailure } from './tell-failure.js';

// A service should hear that the SDK will want a newer Node; on a command line it would be noise beside each answer.
Object.assign(process.env, { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' });
const args = process.argv.slice(2);
const { stdout, stderr, stdin, env } = process;
const terminal = { out: stdout, err: stderr, in: stdin, env };
let failedCode: number = EXIT.ok;

// `millrace entity list | head`: who reads no further has all that was wanted. The command ends as it would have: what it holds is
// given back, and its exit code says what it found. An answer that a disk has no room for was not given.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || failedCode !== EXIT.ok) return;
  failedCode = tellFailure(new CliFailure('OUTPUT', `cannot write the answer: ${error.message}`), args, terminal);
  process.exitCode ||= failedCode;
});
stderr.on('error', () => undefined); // Nobody is left to tell.

process.exitCode = (await run(args, terminal)) || failedCode;
