import { awsHandler, awsSealer, environmentOf, SCHEDULE_EVENT, STREAM_FILTERS } from '@millrace/aggregator-lambda';
import { RateLimiter as RateLimiterConstruct, type RateLimiterProps } from '@millrace/cdk';
import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { EngineStream, launchEngine, StreamPump } from '@millrace/testing';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { type EmbeddedLine, type MetricName, metricsOf } from './metrics-world.js';
import { onlyOne, templateOf } from './synth.js';

const DAY_MS = 86_400_000;

/** What an alarm watches, and what the function beside it is told; what is known at deployment only is its logical id. */
function deployed(alarm: string, props: RateLimiterProps) {
  const template = templateOf((stack) => new RateLimiterConstruct(stack, 'Limiter', props));
  const known = (value: string | { readonly Ref: string }): string => (typeof value === 'string' ? value : value.Ref);
  const [properties] = Object.entries(template.findResources('AWS::CloudWatch::Alarm')).flatMap(([id, { Properties }]) =>
    id.includes(alarm) ? [Properties] : [],
  );
  const watched: MetricName = {
    namespace: properties.Namespace,
    name: properties.MetricName,
    dimensions: Object.fromEntries(properties.Dimensions.map(({ Name, Value }: { Name: string; Value: string }) => [Name, known(Value)])),
  };
  template.hasResourceProperties('AWS::Events::Rule', { Targets: Match.anyValue(), State: 'ENABLED' });
  const { Environment: environment } = onlyOne(template, 'AWS::Lambda::Function') as {
    Environment: { Variables: Record<string, string | { Ref: string }> };
  };
  const variables = Object.entries(environment.Variables).map(([name, value]) => [name, known(value)]);
  return { watched, variables: Object.fromEntries(variables) as Record<string, string> };
}

/** What the function writes that is told so, where a batch of the stream never came and, if `isWhole`, where all did. */
async function linesOf(variables: Readonly<Record<string, string>>, isWhole: boolean): Promise<readonly EmbeddedLine[]> {
  await using engine = await launchEngine();
  const { endpoint, region, credentials } = engine;
  const environment = environmentOf({ ...variables, AWS_REGION: region });
  const { table } = environment;
  await createTable({ table, endpoint, region, credentials });
  const limiter = await RateLimiter.open({ table, endpoint, region, credentials });
  const source = await EngineStream.open(engine, table);
  const lines: EmbeddedLine[] = [];
  const parts = { connection: { endpoint, region, credentials }, write: (line: string) => void lines.push(JSON.parse(line)) };
  const drain = () => new StreamPump({ source, handler: awsHandler(environment, parts), filters: STREAM_FILTERS }).drain();
  const options = { limits: [Limit.perMinute('rpm', 100)] };
  await limiter.acquire('key-1', 'gpt-4', { rpm: 2 }, options);
  await drain();
  await limiter.acquire('key-1', 'gpt-4', { rpm: 3 }, options);
  if (isWhole) await drain();
  lines.length = 0;
  const seal = awsSealer(environment, { ...parts, clock: { nowMs: () => Date.now() + 3 * DAY_MS } });
  await seal(SCHEDULE_EVENT, { getRemainingTimeInMillis: () => 60_000 });
  source.close();
  await limiter.close();
  return lines;
}

describe('the alarm on gaps in the ledger', () => {
  it.each<[string, RateLimiterProps]>([
    ['without props', {}],
    ['in a namespace of its own', { aggregator: { metricsNamespace: 'Ours/Prod' } }],
  ])('watches, %s, what the function beside it writes of a batch that was lost', async (_, props) => {
    const { watched, variables } = deployed('LedgerGaps', props);

    const written = (await linesOf(variables, false)).flatMap(metricsOf);

    expect(written.filter(({ name, value }) => name === watched.name && value === 1)).toEqual([{ ...watched, value: 1 }]);
  });

  it('hears that nothing is missing, so that it can tell health from silence', async () => {
    const { watched, variables } = deployed('LedgerGaps', {});

    const written = (await linesOf(variables, true)).flatMap(metricsOf);

    expect(written.filter(({ name }) => name === watched.name)).toEqual([{ ...watched, value: 0 }]);
    const { watched: unchecked } = deployed('BooksNotChecked', {});
    expect(written.filter(({ name }) => name === unchecked.name)).toEqual([{ ...unchecked, value: 0 }]);
  });

  it('hears nothing of the function where that is turned off', async () => {
    const { watched, variables } = deployed('LedgerGaps', { aggregator: { seals: { checkLedger: false } } });

    const lines = await linesOf(variables, false);

    expect(lines.flatMap(metricsOf).map(({ name }) => name)).not.toContain(watched.name);
    expect(lines).toEqual([expect.objectContaining({ PeriodsNotSealed: 0, SealingCutShort: 0 })]);
    expect(lines[0]?.['PeriodsSealed']).toBeGreaterThan(0);
  });
});
