import { defineConfig } from 'vitest/config';
import { CountReporter } from '../packages/house/src/count-reporter.ts';

const source = { resolve: { conditions: ['@millrace/source'] }, ssr: { resolve: { conditions: ['@millrace/source'] } } };

/** The app, deployed to the emulator that `emulator/main.ts` has started. One file at a time: they share the deployed stacks. */
export default defineConfig({
  ...source,
  root: import.meta.dirname,
  test: {
    name: 'deploy',
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/deploy-once.ts'],
    fileParallelism: false,
    // Of processes, each of which reads NODE_EXTRA_CA_CERTS when it starts.
    pool: 'forks',
    reporters: ['verbose', new CountReporter()],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
