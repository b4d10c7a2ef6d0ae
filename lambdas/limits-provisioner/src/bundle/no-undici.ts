/**
 * Stands in for the HTTP client of acquires, half a megabyte: the function acquires nothing, and administration goes
 * through the SDK.
 */
export class Pool {
  constructor() {
    throw new Error('the provisioner has no transport for acquires');
  }
}
