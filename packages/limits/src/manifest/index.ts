// What a manifest is, read, checked and written: no table, no clock, no network. A synth needs no more, and may load no more.
export { manifest } from '../build-manifest.js';
export type { EntitySource, LimitSource, LimitsSource, Manifest, ManifestLevel, ManifestSource } from '../manifest.js';
export { describeIssue, ManifestError, type ManifestIssue, type ManifestPath } from '../manifest-error.js';
export { type ParseManifestOptions, parseManifest } from '../parse-manifest.js';
export { writeManifest } from '../write-manifest.js';
