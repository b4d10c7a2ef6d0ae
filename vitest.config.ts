import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { CountReporter } from './packages/house/src/count-reporter.ts';

// Tests and editors see the sources of the other packages, not what was last built of them.
const source = { resolve: { conditions: ['@millrace/source'] }, ssr: { resolve: { conditions: ['@millrace/source'] } } };

// What the constructs ship, where nobody has built it yet.
const globalSetup = ['packages/cdk/test/build-setup.ts'];

// What runs in k6 is tested in Node, too, with a little of k6 made for that; and once in a real k6.
const k6Shims = Object.fromEntries(
  ['http', 'crypto', 'metrics', 'execution', 'secrets'].map((name) => [
    `k6/${name}`,
    fileURLToPath(new URL(`./load/test/shims/${name}.ts`, import.meta.url)),
  ]),
);

/** Tests that start an engine, processes or a bundler. */
const slow = ['packages/testing/src/engines/**/*.test.ts'];

export default defineConfig({
  test: {
    reporters: ['default', new CountReporter()],
    // Many tests wait for an engine or a child process: a second worker uses what one leaves idle, also on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        ...source,
        test: {
          name: 'unit',
          globalSetup,
          include: ['{packages,lambdas}/*/src/**/*.test.ts', 'load/src/**/*.test.ts', 'infra/test/stage.test.ts'],
          exclude: slow,
          testTimeout: 120_000,
        },
      },
      {
        ...source,
        test: {
          name: 'engine',
          globalSetup,
          include: ['{packages,lambdas}/*/test/**/*.test.ts', ...slow, 'docs/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { ...source.resolve, alias: k6Shims },
        ssr: source.ssr,
        test: { name: 'load', include: ['load/test/**/*.test.ts'], testTimeout: 600_000, hookTimeout: 1_200_000 },
      },
    ],
  },
});
