import { readFileSync } from 'node:fs';

/** A manifest in YAML or JSON, as `millrace limits` reads it. */
export class ManifestSource {
  /**
   * A file of the app. A path that is not absolute begins where the app runs, like that of an asset. A file whose name ends
   * in `.json` must be JSON.
   */
  static fromFile(path: string): ManifestSource {
    return new ManifestSource({ title: path, format: path.endsWith('.json') ? 'json' : 'yaml', read: () => readFileSync(path, 'utf8') });
  }

  /** A text in YAML, of which JSON is a part. */
  static fromYaml(text: string): ManifestSource {
    return new ManifestSource({ title: 'source', format: 'yaml', read: () => text });
  }

  private constructor(content: SourceContent) {
    contents.set(this, content);
  }
}

/** What a source holds. */
export interface SourceContent {
  /** What it is called in a message. */
  readonly title: string;
  readonly format: 'json' | 'yaml';
  /** Throws what the file system says. */
  readonly read: () => string;
}

/** Not on the object: what is for the construct only is no part of what others may call. */
const contents = new WeakMap<ManifestSource, SourceContent>();

/** What a source holds; undefined for what is none. */
export function sourceContent(source: ManifestSource): SourceContent | undefined {
  return contents.get(source);
}
