import { RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { applyManifest, diffManifest, parseManifest } from '@millrace/limits';
import { launchEngine } from '@millrace/testing';

const tenants = parseManifest(`
name: tenants
system:
  onUnavailable: block
  limits: [rpm:60/min]
resources:
  gpt-4: [rpm:500/min, tpm:800000/min]
entities:
  key-1:
    default: [rpm:100/min]
    resources:
      gpt-4: [rpm:1000/min, { name: tpm, refill: 2000000, per: min, capacity: 3000000 }]
`);

const { endpoint, region, credentials, close } = await launchEngine();
const connection = { table: 'millrace', endpoint, region, credentials };
await createTable(connection);
const limiter = await RateLimiter.open({ ...connection, actor: 'ci' });

const { summary } = await applyManifest(limiter, tenants);
console.log('created', summary.create); // four levels, and what happens when the table cannot be reached

await limiter.limits.deleteResource('gpt-4', { actor: 'ann' });
for (const { kind, target } of await diffManifest(limiter, tenants)) console.log(kind, target);

await limiter.close();
await close();
