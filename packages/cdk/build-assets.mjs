import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleOptions } from '@millrace/aggregator-lambda/bundle';
import { build } from 'esbuild';

// Writes assets/<name>/index.js, by each function's own options.
const place = (path) => fileURLToPath(new URL(path, import.meta.url));
await build({ ...bundleOptions(place('../../lambdas/aggregator/dist/lambda.js')), outfile: join(place('assets'), 'aggregator/index.js') });
