import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, openCommandLine, type Run, type RunOptions } from './command-line.js';

const ENTITIES = 500;
type Child = Parameters<NonNullable<RunOptions['onStart']>>[0];

let here: CommandLine;
let folder: string;
let path: string;
beforeAll(async () => {
  [here, folder] = await Promise.all([openCommandLine(), mkdtemp(join(tmpdir(), 'millrace-cli-'))]);
  path = join(folder, 'limits.json');
});
afterAll(async () => {
  await here.close();
  await rm(folder, { recursive: true });
});

/** Writes the manifest: 500 entities with `tokens` a minute, without those of `left`. */
async function writeManifest(tokens: number, left: readonly number[] = []): Promise<void> {
  const ids = Array.from({ length: ENTITIES }, (_, index) => index).filter((index) => !left.includes(index));
  const entities = Object.fromEntries(ids.map((index) => [`key-${index}`, { default: [`rpm:${tokens}/min`] }]));
  await writeFile(path, JSON.stringify({ name: 'tenants', entities }));
}

async function planned(): Promise<{
  readonly create: number;
  readonly update: number;
  readonly delete: number;
  readonly unchanged: number;
}> {
  return (await here.answer(`limits plan -f ${path}`))['summary'];
}

/** Does something to an apply as soon as it says that some of its work, and not all, is done. */
function midway(act: (child: Child) => void): RunOptions {
  return {
    onStart: (child) => {
      let said = '';
      child.stderr?.on('data', (data) => {
        const before = said;
        said += data;
        const isMidway = /applied: [1-9]/.test(said) && !/applied: [1-9]/.test(before);
        if (isMidway) act(child);
      });
    },
  };
}

describe('a manifest of 500 entities', () => {
  it('is applied with progress shown; a second plan is empty; drift is shown; prune takes what was managed and nothing else', async () => {
    await writeManifest(10);
    expect(await planned()).toEqual({ create: ENTITIES, update: 0, delete: 0, unchanged: 0 });
    const applied = await here.millrace(`limits apply -f ${path}`);

    expect(applied.code).toBe(0);
    expect(applied.err.split('\n').filter((line) => /^applied: \d+ of 500$/.test(line)).length).toBeGreaterThanOrEqual(10);
    expect(applied.err).toMatch(/applied: 500 of 500\n$/);
    expect(await planned()).toEqual({ create: 0, update: 0, delete: 0, unchanged: ENTITIES });

    await here.answer('entity limits set key-7 rpm:999/min');
    await here.answer('entity limits set by-hand rpm:1/min');
    const diff = await here.millrace(`limits diff -f ${path} --json`);
    expect(diff).toMatchObject({ code: 2, json: { drift: [{ kind: 'changed', target: 'entity/key-7' }] } });

    await writeManifest(10, [7, 8, 9]);
    expect(await planned()).toEqual({ create: 0, update: 0, delete: 3, unchanged: ENTITIES - 3 });
    await here.answer(`limits apply -f ${path} --yes`);
    expect(await here.answer('entity limits get key-8')).toMatchObject({ limits: null });
    expect(await here.answer('entity limits get by-hand')).toMatchObject({ limits: [{ name: 'rpm' }] });
  });

  it('is finished by the next apply, at once, when one was killed', async () => {
    await writeManifest(20);
    const killed = await here.millrace(
      `limits apply -f ${path}`,
      midway((child) => child.kill('SIGKILL')),
    );
    const { update, create } = await planned();

    expect(killed).toMatchObject({ code: null, out: '' });
    expect(update + create).toBeGreaterThan(0);
    expect(update + create).toBeLessThan(ENTITIES);
    await here.answer(`limits apply -f ${path}`);
    expect(await planned()).toEqual({ create: 0, update: 0, delete: 0, unchanged: ENTITIES });
  });

  it('is applied by one at a time; who takes over stops the other for good', async () => {
    await writeManifest(30);
    let first: Promise<Run> | undefined;
    const stopped = new Promise<Child>((resolve) => {
      const options = midway((child) => {
        child.kill('SIGSTOP');
        resolve(child);
      });
      first = here.millrace(`limits apply -f ${path}`, options);
    });
    const child = await stopped;

    const second = await here.millrace(`limits apply -f ${path}`);
    expect(second).toMatchObject({ code: 1, out: '' });
    expect(second.err).toContain('error: manifest "tenants" is being applied: "millrace on ');
    expect(second.err).toContain('hint: wait until the other one has ended, or, if it is known to be dead, use --take-over\n');
    await writeManifest(31);
    await here.answer(`limits apply -f ${path} --take-over`);
    child.kill('SIGCONT');

    expect(await first).toMatchObject({ code: 1, out: '', err: expect.stringContaining('was taken over after') });
    expect(await planned()).toEqual({ create: 0, update: 0, delete: 0, unchanged: ENTITIES });
  });
});
