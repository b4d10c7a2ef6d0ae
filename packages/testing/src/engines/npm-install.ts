import { spawn } from 'node:child_process';

const timeoutMs = 120_000;
const reasonLength = 300;
const flags = [
  '--ignore-scripts',
  '--loglevel=error',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  // A machine without network should learn it in seconds: npm's own patience is minutes.
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=2000',
];

/** Installs `spec` with npm under `folder`; an `Error` with npm's words when it fails. */
export function npmInstall(folder: string, spec: string, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    // On Windows npm is a script that only a shell can start. The folder goes by cwd, so nothing here needs quotes.
    const npm = spawn('npm', ['install', ...flags, spec], {
      cwd: folder,
      env,
      shell: process.platform === 'win32',
      windowsHide: true,
      timeout: timeoutMs,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    npm.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    npm.on('error', reject);
    npm.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`npm ended with ${code ?? signal}: ${firstWords(said)}`));
    });
  });
}

/** npm names the cause first, then gives advice and where its log is. */
function firstWords(said: string): string {
  return said
    .replace(/^npm error /gm, '')
    .replace(/\s+/g, ' ')
    .slice(0, reasonLength)
    .trim();
}
