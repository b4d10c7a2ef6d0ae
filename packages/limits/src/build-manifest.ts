import { checkManifest } from './check-manifest.js';
import type { Manifest, ManifestSource } from './manifest.js';
import { ManifestError } from './manifest-error.js';

/**
 * Makes a manifest in TypeScript.
 *
 * @throws ManifestError that tells all its mistakes at once
 * @example
 * manifest({
 *   name: 'tenants',
 *   system: { limits: [Limit.perMinute('rpm', 60)] },
 *   resources: { 'gpt-4': ['rpm:500/min', 'tpm:800000/min'] },
 *   entities: { 'key-1': { default: ['rpm:100/min'], resources: { 'gpt-4': ['rpm:1000/min'] } } },
 * });
 */
export function manifest(source: ManifestSource): Manifest {
  const { manifest: checked, issues } = checkManifest(source);
  if (checked === undefined) throw new ManifestError(issues);
  return checked;
}
