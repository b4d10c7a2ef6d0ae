import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one line of real counts, and says of each skipped test why it was skipped. */
export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    // A module that could not be loaded holds no tests: its failure counts as one, or the run would look green.
    let [passed, failed, skipped] = [0, errors.length, 0];
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') passed += 1;
        else if (result.state === 'failed') failed += 1;
        else {
          skipped += 1;
          const note = result.state === 'skipped' ? result.note : undefined;
          process.stdout.write(`skipped: ${test.fullName}: ${note ?? 'the reason is in its name'}\n`);
        }
      }
    }
    process.stdout.write(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}\n`);
  }
}
