import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LimitRate, LimitsManifest, LoadRig, RateLimiter, TableBilling } from '@millrace/cdk';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it, vi } from 'vitest';
import { everyProp } from './every-prop.js';
import { rigAssets } from './rig-assets.js';

interface Report {
  readonly pluginReports: readonly { readonly violations: readonly { readonly ruleName: string }[] }[];
}

/** What cdk-nag finds in a stack, and what is acknowledged in it: `id: reason`. */
function nag(build: (stack: Stack) => void): { found: string[]; acknowledged: Map<string, string> } {
  return nagApp((app) => build(new Stack(app, 'Stack', { env: { account: '123456789012', region: 'eu-central-1' } })));
}

function nagApp(build: (app: App) => void): { found: string[]; acknowledged: Map<string, string> } {
  const outdir = mkdtempSync(join(tmpdir(), 'millrace-nag-'));
  const app = new App({ outdir, context: { '@aws-cdk/core:failSynthOnValidationErrors': false } });
  build(app);
  Validations.of(app).addPlugins(new AwsSolutionsChecks());
  const exitCode = process.exitCode;
  app.synth();
  process.exitCode = exitCode;
  const { pluginReports } = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')) as Report;
  rmSync(outdir, { recursive: true });
  const entries = app.node
    .findAll()
    .flatMap(({ node }) => node.metadata.filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY));
  const acknowledged = new Map(entries.flatMap(({ data }) => Object.entries(data as Record<string, string>)));
  return { found: pluginReports.flatMap(({ violations }) => violations.map(({ ruleName }) => ruleName)), acknowledged };
}

const limiters = {
  'without props': (stack: Stack) => new RateLimiter(stack, 'Limiter'),
  'without an aggregator': (stack: Stack) => new RateLimiter(stack, 'Limiter', { usageAggregation: false }),
  'that nobody watches': (stack: Stack) => new RateLimiter(stack, 'Limiter', { alarming: false, charting: false }),
  'with limits as code': (stack: Stack) =>
    new LimitsManifest(stack, 'Limits', { limiter: new RateLimiter(stack, 'Limiter'), system: [LimitRate.perMinute('rpm', 60)] }),
  'that is loaded': (stack: Stack) => {
    const limiter = RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableName: 'limits' });
    new LoadRig(stack, 'Rig', { limiter, workerAssets: rigAssets() });
  },
  'with everything': (stack: Stack) =>
    new RateLimiter(stack, 'Limiter', {
      archiveAuditEvents: true,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      billing: TableBilling.provisioned({ maxReadCapacity: 100, maxWriteCapacity: 100 }),
      aggregator: { tracing: true, thresholdPercent: 80, thresholdEventBus: new EventBus(stack, 'Bus') },
    }),
};

describe('cdk-nag', () => {
  it.each(Object.entries(limiters))('finds nothing that is not acknowledged in a limiter %s', (_, build) => {
    expect(nag(build).found).toEqual([]);
  });

  it('finds nothing that is not acknowledged where every prop of every construct is set', () => {
    const { found, acknowledged } = nagApp(everyProp);

    expect(found).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(8);
  });

  it('would find what nobody acknowledges', () => {
    const { found } = nag((stack) => new Bucket(stack, 'Bucket'));

    expect(found).toEqual(expect.arrayContaining(['AwsSolutions-S1', 'AwsSolutions-S10']));
  });

  it('is told a reason, in a sentence, of each thing that it finds otherwise, and of nothing else', () => {
    const { acknowledged } = nag(limiters['with everything']);
    const silent = vi.spyOn(Validations.prototype, 'acknowledge').mockImplementation(() => undefined);
    const { found } = nag(limiters['with everything']);
    silent.mockRestore();

    const rules = [...acknowledged.keys()].map((id) => id.replace(/^annotation::/i, ''));
    expect(found).not.toEqual([]);
    expect(rules.sort()).toEqual([...new Set(found)].sort());
    for (const reason of acknowledged.values()) expect(reason).toMatch(/^[A-Z].{30,}\.$/);
  });
});
