/** k6's clock of a run, by Node's. */
const execution = {
  instance: {
    get currentTestRunDuration(): number {
      return performance.now();
    },
  },
};

// biome-ignore lint/style/noDefaultExport: k6's modules have one
export default execution;
