import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../src/distributed/free-port.js';
import { bundleScenario } from '../src/node/bundle.js';
import { runK6 } from '../src/node/k6-process.js';
import { realK6 } from './real-k6.js';
import { runLoad, type ShellRun } from './shell-run.js';

const k6 = await realK6();
const SECRETS = {
  aws: 'not-for-anybody-else-0123456789',
  grafana: 'token-of-grafana-0123456789',
  gateway: 'token-of-the-gateway-0123456789',
};
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-cloud-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Stands for Grafana: so many users come to the service by its public name, which leads here, and show what they are told to. */
const users = (port: number, token: string): string => `
const post = (path, body) => fetch('http://127.0.0.1:${port}/behind/a/proxy/' + path, {
  method: 'POST', body: JSON.stringify(body), headers: { authorization: 'Bearer ${token}' } });
console.log('     output: https://example.grafana.net/a/k6-app/runs/42');
for (let user = 1; user <= 5; user++) {
  const reply = await post('acquire', { entity: 'user-' + user, resource: 'api', amounts: { rpm: 1 } });
  if (reply.status !== 200) continue;
  const { lease } = await reply.json();
  await post(user === 5 ? 'release' : 'commit', { lease, deltas: {} });
}
`;

/** A k6 that is the real one but for the cloud. */
async function stubbedK6(port: number, token: string, code = 0): Promise<string> {
  const programs = await mkdtemp(join(folder, 'k6-'));
  await writeFile(join(programs, 'users.mjs'), users(port, token));
  const program = `#!/bin/sh
if [ "$1" != cloud ]; then exec ${k6?.path} "$@"; fi
env > ${programs}/environment
echo "$@" > ${programs}/arguments
${process.execPath} ${programs}/users.mjs
exit ${code}
`;
  await writeFile(join(programs, 'k6'), program);
  await chmod(join(programs, 'k6'), 0o755);
  return join(programs, 'k6');
}

async function cloudRun(binary: string, port: number): Promise<ShellRun & { readonly made: string }> {
  const results = await mkdtemp(join(folder, 'results-'));
  const cloud = ['--mode', 'cloud', '--project', '12', '--cloud-stack', '34', '--zone', 'amazon:de:frankfurt'];
  const gateway = ['--gateway', 'https://gateway.example.org', '--gateway-port', `${port}`];
  const args = ['run', 'simple', ...cloud, ...gateway, '--vus', '5', '--duration', '30s', '--p95', '60s', '--results', results];
  const env = {
    ...process.env,
    K6_BIN: binary,
    K6_CLOUD_TOKEN: SECRETS.grafana,
    MILLRACE_GATEWAY_TOKEN: SECRETS.gateway,
    AWS_SECRET_ACCESS_KEY: SECRETS.aws,
  };
  const ended = await runLoad(args, env);
  const [name = ''] = await readdir(results);
  return { ...ended, made: join(results, name) };
}

describe.skipIf(k6 === undefined)('a run in Grafana Cloud', () => {
  it('is judged by what the Node service counted, to the token, and names the page of Grafana', async () => {
    const port = await freePort();
    const { code, stdout, stderr } = await cloudRun(await stubbedK6(port, SECRETS.gateway), port);

    expect(stderr).toContain('the run in Grafana Cloud: https://example.grafana.net/a/k6-app/runs/42');
    expect(stdout).toMatch(/acquire +5 /);
    expect(stdout).toContain('✓ the table says what callers counted: rpm: 4 in the table, 4 counted');
    expect(stdout).toContain("Grafana's own figures: https://example.grafana.net/a/k6-app/runs/42");
    expect(stdout).toContain('outcome: passed');
    expect(code).toBe(0);
  });

  it('hands out no key: not in the archive, not to k6, which has the token of Grafana alone', async () => {
    const port = await freePort();
    const binary = await stubbedK6(port, SECRETS.gateway);
    const { made } = await cloudRun(binary, port);
    const archive = join(made, 'archive.tar');

    const bytes = await readFile(archive);
    for (const secret of [...Object.values(SECRETS), 'AWS_', 'K6_CLOUD_TOKEN']) expect(bytes.includes(secret), secret).toBe(false);
    const metadata = JSON.parse(execFileSync('tar', ['-xOf', archive, 'metadata.json'], { encoding: 'utf8' }));
    expect(Object.keys(metadata.env)).toEqual(['MILLRACE_LOAD']);
    expect(JSON.parse(metadata.env.MILLRACE_LOAD)).toMatchObject({
      mode: 'gateway',
      gateway: 'https://gateway.example.org',
      gatewaySecret: 'millrace-gateway-token',
    });
    expect(metadata.options.cloud).toMatchObject({
      projectID: 12,
      stackID: 34,
      distribution: { 'amazon:de:frankfurt': { loadZone: 'amazon:de:frankfurt', percent: 100 } },
    });
    // One script, and nothing that it did not open.
    const files = execFileSync('tar', ['-tf', archive], { encoding: 'utf8' }).split('\n');
    expect(files.filter((file) => file.endsWith('.js'))).toHaveLength(1);
    expect(files.filter((file) => /\.(env|json|pem)$/.test(file))).toEqual(['metadata.json']);

    const environment = await readFile(join(dirname(binary), 'environment'), 'utf8');
    expect(environment).toContain(SECRETS.grafana);
    expect(environment).not.toContain(SECRETS.aws);
    expect(environment).not.toContain(SECRETS.gateway);
    expect(await readFile(join(dirname(binary), 'arguments'), 'utf8')).toBe(`cloud run --no-color ${archive}\n`);
    // What k6 was made to read is a script that it can run.
    expect(execFileSync(k6?.path ?? '', ['inspect', archive], { encoding: 'utf8' })).toContain('"simple"');
  });

  it('serves nobody who does not show the token', async () => {
    const port = await freePort();
    const { code, stdout } = await cloudRun(await stubbedK6(port, 'the-wrong-token-0123456789'), port);

    expect(stdout).not.toMatch(/^ +acquire/m);
    expect(stdout).toContain('outcome: broken');
    expect(code).toBe(1);
  });

  it('has users show the token, which k6 asks its secrets for and logs nowhere', async () => {
    const shown: (string | undefined)[] = [];
    const service = createServer((request, response) => {
      shown.push(request.headers.authorization);
      response.end(JSON.stringify({ tookMs: 1, lease: 'lease-1' }));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const secrets = join(folder, 'secrets');
    await writeFile(secrets, `millrace-gateway-token=${SECRETS.gateway}\n`);
    const settings = {
      scenario: 'max-rps',
      mode: 'gateway',
      run: 'shown',
      table: 't',
      namespace: 'default',
      endpoint: 'http://127.0.0.1:1',
      region: 'us-east-1',
      gateway: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
      gatewaySecret: 'millrace-gateway-token',
      users: 1,
      durationMs: 1_000,
      cascade: false,
      callers: 1,
      requestTimeoutMs: 5_000,
    };
    const logFile = join(folder, 'shown.log');
    const end = await runK6({
      binary: k6 as NonNullable<typeof k6>,
      script: await bundleScenario('max-rps', 'gateway'),
      args: [`--secret-source=file=${secrets}`, '--vus', '1', '--iterations', '1', '--no-thresholds'],
      env: { ...process.env, MILLRACE_LOAD: JSON.stringify(settings) },
      logFile,
      timeoutMs: 60_000,
    });
    service.close();

    expect(end.code).toBe(0);
    expect(new Set(shown)).toEqual(new Set([`Bearer ${SECRETS.gateway}`]));
    expect(await readFile(logFile, 'utf8')).not.toContain(SECRETS.gateway);
  });

  it('that Grafana could not make ends with 1, and what k6 said', async () => {
    const port = await freePort();
    const { code, stdout } = await cloudRun(await stubbedK6(port, SECRETS.gateway, 107), port);

    expect(stdout).toContain('k6 cloud ended with 107');
    expect(code).toBe(1);
  });
});
