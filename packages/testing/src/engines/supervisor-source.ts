/**
 * The program that stands between us and an engine, for `node -e`: a folder, then a command with its arguments.
 *
 * Our end of its stdin closes when we do, however we end, SIGKILL included; it then ends the engine and removes the
 * folder. The engine is its own child, so it never signals a process id that has passed to somebody else. It is text,
 * not a file, so that it also runs from a bundle and from sources that Node cannot read.
 */
export const supervisorSource = `
const { spawn } = require('node:child_process');
const { mkdirSync, rmSync } = require('node:fs');

const killAfterMs = 2000;
const [folder, command, ...args] = process.argv.slice(1);
let engine;

function stop() {
  if (engine === undefined) process.exit(1);
  engine.kill('SIGTERM');
  setTimeout(() => engine.kill('SIGKILL'), killAfterMs).unref();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
mkdirSync(folder);

engine = spawn(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], windowsHide: true });
engine.on('error', (error) => {
  process.stderr.write(error.message + '\\n', () => process.exit(1));
});
engine.on('exit', (code) => process.exit(code ?? 1));

process.stdin.on('error', stop).on('close', stop).resume();
`;
