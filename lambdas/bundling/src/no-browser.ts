/** Stands in for the package by which the SDK tells browsers apart. */
export const parse = (): Record<string, never> => ({});
