import { readFileSync } from 'node:fs';

/** A manifest in YAML or JSON, as `millrace limits` reads it. */
export abstract class ManifestSource {
  /**
   * A file of the app. A path that is not absolute begins where the app runs, like that of an asset. A file whose name ends
   * in `.json` must be JSON.
   */
  static fromFile(path: string): ManifestSource {
    return new FileSource(path);
  }

  /** A text in YAML, of which JSON is a part. */
  static fromYaml(text: string): ManifestSource {
    return new TextSource(text);
  }

  /**
   * What it is called in a message; empty for a text of the program.
   *
   * @internal
   */
  abstract readonly _title: string;

  /**
   * Whether nothing but JSON is read.
   *
   * @internal
   */
  abstract readonly _isJson: boolean;

  /**
   * The text. Throws what the file system says.
   *
   * @internal
   */
  abstract _read(): string;
}

class FileSource extends ManifestSource {
  override readonly _title: string;
  override readonly _isJson: boolean;

  constructor(path: string) {
    super();
    this._title = path;
    this._isJson = path.endsWith('.json');
  }

  override _read(): string {
    return readFileSync(this._title, 'utf8');
  }
}

class TextSource extends ManifestSource {
  override readonly _title = '';
  override readonly _isJson = false;
  private readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override _read(): string {
    return this.text;
  }
}
