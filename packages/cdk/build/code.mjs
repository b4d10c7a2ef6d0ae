import { here, oneFile } from './one-file.mjs';

// What the package's door leads to. Its declarations are tsc's.
await oneFile(here('../src/index.ts'), here('../dist/index.js'));
