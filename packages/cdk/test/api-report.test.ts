import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ApiReport, apiReport } from './api-report.js';

/** The report about a package with one file behind its door. */
function reportAbout(names: string, source: string): ApiReport {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-api-'));
  writeFileSync(join(folder, 'index.ts'), `export { ${names} } from './thing.js';`);
  writeFileSync(join(folder, 'thing.ts'), source);
  try {
    return apiReport(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('what the package exports', () => {
  it('is what API.md says', async () => {
    await expect(apiReport(join(__dirname, '../src')).text).toMatchFileSnapshot('../API.md');
  });

  it('is documented, readonly, with defaults in words, and of types that other languages have', () => {
    expect(apiReport(join(__dirname, '../src')).flaws).toEqual([]);
  });
});

describe('the report', () => {
  it('tells each breach of the rules', () => {
    const source = `
      export interface ThingProps {
        name?: string;
        /** Doc. */
        readonly both: string | number;
      }
      /** A thing. */
      export class Thing {
        /** Doc. */
        all(): Map<string, string> {}
        loud(): void {}
        private own(): void {}
      }`;

    expect(reportAbout('ThingProps, Thing', source).flaws).toEqual([
      'Thing.all has a type that jsii does not know: Map<string, string>',
      'Thing.loud has no doc comment',
      'ThingProps has no doc comment',
      'ThingProps.name has no doc comment',
      'ThingProps.name is not readonly',
      'ThingProps.name has no @default',
      'ThingProps.both has a type that jsii does not know: string | number',
    ]);
  });

  it('takes no function through the door: jsii has none', () => {
    expect(() => reportAbout('make', 'export function make(): void {}')).toThrow('got: make');
  });
});
