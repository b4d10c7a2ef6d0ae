import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from './bundle-options.js';

// Writes dist/lambda/index.cjs, which is all that the function's archive holds.
const place = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
await build({ ...bundleOptions(place('../lambda.js')), outfile: place('../lambda/index.cjs') });
