import { defineConfig } from 'vitest/config';

// Tests and editors see the sources of the other packages, not what was last built of them.
const source = { resolve: { conditions: ['@millrace/source'] }, ssr: { resolve: { conditions: ['@millrace/source'] } } };

export default defineConfig({
  test: {
    projects: [
      {
        ...source,
        test: { name: 'unit', include: ['packages/*/src/**/*.test.ts'], exclude: ['packages/testing/src/engines/**'], testTimeout: 60_000 },
      },
      {
        ...source,
        test: {
          name: 'engine',
          include: ['packages/*/test/**/*.test.ts', 'packages/testing/src/engines/**/*.test.ts', 'docs/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
