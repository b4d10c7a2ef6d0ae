import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { SCENARIOS } from '../../scenarios/index.js';
import { buildK6 } from '../node/build-k6.js';
import { bundleScenario } from '../node/bundle.js';
import { builtPath } from '../node/k6-binary.js';
import { besideThis, workerBundle } from './worker-bundle.js';

/** The processors that Lambda and Fargate have, by Node's name and by Go's. */
export const ARCHITECTURES = { arm64: 'arm64', x64: 'amd64' } as const;

export type RigArchitecture = keyof typeof ARCHITECTURES;

/**
 * Writes what the construct `LoadRig` is given: `layer` with k6, `function` with the worker and the scenarios, and `image`,
 * from which a container of both is built. k6 is built for the processor by the pinned module.
 *
 * @throws Error if k6 cannot be built
 */
export async function writeRigAssets(
  folder: string,
  arch: RigArchitecture,
  env: NodeJS.ProcessEnv,
  say: (text: string) => void,
): Promise<void> {
  const k6 = builtPath('linux', arch);
  if (!existsSync(k6)) {
    const why = await buildK6(k6, { ...env, GOOS: 'linux', GOARCH: ARCHITECTURES[arch] }, say);
    if (why !== undefined) throw new Error(`k6 for linux ${arch} could not be built: ${why}`);
  }
  const [layer, code, image] = ['layer', 'function', 'image'].map((name) => join(folder, name)) as [string, string, string];
  for (const each of [layer, code, image]) await rm(each, { recursive: true, force: true });
  await placeProgram(k6, join(layer, 'bin'));
  await placeProgram(k6, join(image, 'bin'));
  await Promise.all([
    build({ ...workerBundle(besideThis(import.meta.url, '../distributed/lambda')), outfile: join(code, 'index.mjs') }),
    build({ ...workerBundle(besideThis(import.meta.url, '../distributed/worker-main')), outfile: join(image, 'worker', 'index.mjs') }),
  ]);
  for (const { name } of SCENARIOS) {
    const script = await bundleScenario(name, 'direct');
    for (const target of [join(code, 'scenarios'), join(image, 'scenarios')]) {
      await mkdir(target, { recursive: true });
      await copyFile(script, join(target, `${name}.direct.js`));
    }
  }
  await writeFile(join(image, 'Dockerfile'), DOCKERFILE);
  say(`wrote ${folder}: layer, function and image for ${arch}, ${SCENARIOS.length} scenarios`);
}

const DOCKERFILE = `FROM node:22-slim
COPY bin/k6 /usr/local/bin/k6
COPY worker /worker
COPY scenarios /scenarios
ENV MILLRACE_SCENARIOS=/scenarios
USER node
ENTRYPOINT ["node", "/worker/index.mjs"]
`;

async function placeProgram(program: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await copyFile(program, join(folder, 'k6'));
  await chmod(join(folder, 'k6'), 0o755);
}
