import { functionBundle } from '@millrace/lambda-bundling';

/** How this function becomes one file. */
export const bundleOptions = (entry: string): ReturnType<typeof functionBundle> => functionBundle(entry);
