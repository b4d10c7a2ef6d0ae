/** Does something with each value, so many at once, and gives the results in the order of the values. The first failure ends it. */
export async function inPool<T, R>(values: readonly T[], atOnce: number, work: (value: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = new Array(values.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < values.length) {
      const index = next;
      next += 1;
      results[index] = await work(values[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, values.length) }, worker));
  return results;
}
