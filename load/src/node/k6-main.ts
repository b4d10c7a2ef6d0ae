import { spawn } from 'node:child_process';
import { findK6 } from './k6-binary.js';

// `pnpm k6 …`: whatever k6 is found or built, with the arguments as they are.
try {
  const { path } = await findK6(process.env, (text) => void process.stderr.write(`${text}\n`));
  const child = spawn(path, process.argv.slice(2), { stdio: 'inherit' });
  process.on('SIGINT', () => undefined);
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
} catch (error) {
  process.stderr.write(`k6: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
