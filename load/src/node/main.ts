#!/usr/bin/env node
import { runFromShell } from './from-shell.js';

// `… | head`: who reads no further has all that was wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const { stdout, stderr, env } = process;
process.exitCode = await runFromShell(process.argv.slice(2), { stdout, stderr, env });
