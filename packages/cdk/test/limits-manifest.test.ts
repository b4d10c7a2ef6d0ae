import { LimitRate, LimitsManifest, type LimitsManifestOptions, ManifestSource, RateLimiter, UnavailableAction } from '@millrace/cdk';
import { makeProvisioner } from '@millrace/limits-provisioner-lambda';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { limitsWorld } from '../../limiter/test/limits-world.js';
import { build, FEW, propertiesOf, TYPE } from './limits-manifest-stack.js';
import { mistakesOf, newStack, templateOf } from './synth.js';

const textOf = (options: LimitsManifestOptions): unknown => JSON.parse(String(propertiesOf(options)['Manifest']));

describe('a manifest of props', () => {
  const template = templateOf(build());

  it('needs no more than a limiter and limits', () => {
    template.hasResourceProperties(TYPE, {
      ServiceToken: { 'Fn::GetAtt': [Match.stringLikeRegexp('LimitsHandler'), 'Arn'] },
      Table: 'limits',
      Namespace: 'default',
      Manifest: Match.stringLikeRegexp('"resources":{"gpt-4":\\["rpm:500/min"\\]}'),
      ContentHash: Match.stringLikeRegexp('^[0-9a-f]{64}$'),
      Prune: 'false',
      OnDelete: 'keep',
      Register: 'true',
    });
  });

  it('says all that a manifest can say', () => {
    const text = textOf({
      manifestName: 'tenants',
      system: [LimitRate.perSecond('rps', 5)],
      onUnavailable: UnavailableAction.ALLOW,
      resources: [{ resource: 'openai/gpt-4', limits: [LimitRate.parse('tpm:800000/min:900000'), LimitRate.perHour('rph', 7)] }],
      entities: [
        { entity: 'key-1', limits: [LimitRate.perDay('rpd', 9, { capacity: 20, reserve: 0 })] },
        {
          entity: 'key-2',
          resources: [
            { resource: 'api', limits: [LimitRate.of({ name: 'burst', tokens: 10, period: Duration.millis(250), capacity: 40 })] },
          ],
        },
      ],
    });

    expect(text).toEqual({
      name: 'tenants',
      system: { onUnavailable: 'allow', limits: ['rps:5/sec'] },
      resources: { 'openai/gpt-4': ['rph:7/hour', 'tpm:800000/min:900000'] },
      entities: {
        'key-1': { default: [{ name: 'rpd', refill: 9, periodMs: 86_400_000, capacity: 20, reserve: 0 }] },
        'key-2': { resources: { api: [{ name: 'burst', refill: 10, periodMs: 250, capacity: 40, reserve: 0.02 }] } },
      },
    });
  });

  it('may say that there are none', () => {
    expect(textOf({ manifestName: 'none', resources: [] })).toEqual({ name: 'none' });
  });

  it('has another hash for other limits, and the same for the same in another order', () => {
    const [rpm, tpm] = [LimitRate.perMinute('rpm', 5), LimitRate.perMinute('tpm', 6)];
    const hash = (limits: LimitRate[]) => propertiesOf({ system: limits })['ContentHash'];
    expect(hash([rpm, tpm])).toBe(hash([tpm, rpm]));
    expect(hash([rpm])).not.toBe(hash([rpm, tpm]));
  });

  it('is what the function takes: a deployment with these properties makes these limits', async () => {
    const world = limitsWorld();
    const answers: string[] = [];
    const provision = makeProvisioner({
      home: () => ({ table: 'limits', namespace: 'default', manifest: 'm' }),
      open: async () => ({ parts: world.parts, close: async () => undefined }),
      answer: async (_, text) => void answers.push(text),
      log: () => undefined,
      sleep: (_, signal) => (signal === undefined ? Promise.resolve() : new Promise(() => undefined)),
      clock: { nowMs: () => world.nowMs },
    });

    await provision(
      {
        RequestType: 'Create',
        ResponseURL: 'https://answers.example',
        StackId: 'stack',
        RequestId: 'request',
        LogicalResourceId: 'Limits',
        ResourceProperties: { ...propertiesOf(), ServiceToken: 'arn' },
      },
      { getRemainingTimeInMillis: () => 300_000 },
    );

    expect(JSON.parse(answers[0] ?? '')).toMatchObject({ Status: 'SUCCESS', Data: { Created: '1' } });
    expect(await world.limits.getResource('gpt-4')).toMatchObject({ limits: [{ name: 'rpm', refill: 500 }] });
  });
});

describe('a manifest of a file', () => {
  it('is read by the checks of the command line', () => {
    const source = ManifestSource.fromYaml('name: tenants\nnamespace: acme\nsystem: { limits: [rpm:60/min] }');
    const properties = propertiesOf({ source });
    expect(properties).toMatchObject({ Namespace: 'acme', Manifest: '{"name":"tenants","system":{"limits":["rpm:60/min"]}}' });
    expect(properties['Register']).toBe('false');
  });

  it('tells all mistakes at once, each with its line', () => {
    const source = ManifestSource.fromYaml('system:\n  limits: [rpm:60/minute]\nresources:\n  api: []\nentites: {}');
    expect(mistakesOf(build({ source }))).toEqual([
      expect.stringMatching(/^source: line 5, entites: unknown key/),
      expect.stringMatching(/^source: line 2, system.limits\[0\]: limit must be written as/),
      expect.stringMatching(/^source: line 4, resources.api: must be a list of 1 to 10 limits/),
    ]);
  });

  it('tells that it is not there', () => {
    expect(mistakesOf(build({ source: ManifestSource.fromFile('none/limits.yaml') }))).toEqual([
      expect.stringMatching(/^none\/limits.yaml: ENOENT/),
    ]);
  });
});

describe('mistakes in props', () => {
  it.each<[string, LimitsManifestOptions, string[]]>([
    ['no limits', {}, ['one of source, system, onUnavailable, resources, entities must be set; for no limits at all, give resources: []']],
    [
      'limits in two ways',
      { ...FEW, source: ManifestSource.fromYaml('{}') },
      ['source and resources must not both be set: source says all the limits'],
    ],
    [
      'several wrong limits',
      { system: [LimitRate.perMinute('rpm', 0), LimitRate.perMinute('1', 5, { reserve: 2 })], resources: [{ resource: '', limits: [] }] },
      [
        expect.stringMatching(/^system.limits\[0\].refill: limit "rpm": refill must be a whole number/),
        expect.stringMatching(/^system.limits\[1\].name: limit name must be a letter/),
        expect.stringMatching(/^system.limits\[1\].reserve: limit "limit": reserve must be a share/),
        expect.stringMatching(/^resources\[""\]: resource must be a string of at least one character/),
      ],
    ],
    [
      'a name that is given twice',
      { resources: [...FEW.resources, ...FEW.resources], entities: [{ entity: 'a', resources: [...FEW.resources, ...FEW.resources] }] },
      ['resources["gpt-4"]: is given twice', 'entities.a.resources["gpt-4"]: is given twice'],
    ],
    ['an entity without limits', { entities: [{ entity: 'a' }] }, ['entities.a: must have default, resources or both']],
    [
      'names that are not those of the source',
      { source: ManifestSource.fromYaml('{name: a, namespace: b}'), manifestName: 'c', namespace: 'd' },
      [
        "manifestName must be left out, or be what source says ('a'), got: 'c'",
        "namespace must be left out, or be what source says ('b'), got: 'd'",
      ],
    ],
    [
      'a bad name',
      { ...FEW, manifestName: 'a\nb', namespace: '' },
      [expect.stringMatching(/^name: manifest must be/), expect.stringMatching(/^namespace: namespace must be/)],
    ],
    [
      'a timeout out of bounds',
      { ...FEW, timeout: Duration.minutes(16) },
      ['timeout must be whole seconds from 60 to 900, got: 960 seconds'],
    ],
    ['too much memory', { ...FEW, memorySize: 4_000 }, ['memorySize must be a whole number from 128 to 3008, got: 4000']],
    ['another policy', { ...FEW, removalPolicy: RemovalPolicy.SNAPSHOT }, ['removalPolicy must be RETAIN or DESTROY, got: snapshot']],
    [
      'a namespace that is to be made and is there',
      { ...FEW, registerNamespace: true, namespaceId: '0123456789ab' },
      ['registerNamespace and namespaceId must not both be set: a namespace that has an id is registered'],
    ],
  ])('are told at synth: %s', (_, options, mistakes) => {
    expect(mistakesOf(build(options))).toEqual(mistakes);
  });

  it('are told of values that are only known at deployment', () => {
    const mistakes = mistakesOf(
      build((stack) => ({
        entities: [{ entity: 'a', limits: [LimitRate.perMinute('rpm', stack.resolve(7)), LimitRate.perMinute(stack.account, 5)] }],
      })),
    );
    expect(mistakes).toEqual(['entities.a.default[1].name: must be known at synth, as it is checked there; got a token']);
    expect(mistakesOf(build((stack) => ({ ...FEW, namespace: stack.region })))).toEqual(['namespace must be known at synth, got a token']);
  });

  it('are told of a manifest that no request could carry', () => {
    const entities = Array.from({ length: 4_000 }, (_, index) => ({ entity: `entity-${index}`, limits: [LimitRate.perMinute('rpm', 5)] }));
    expect(mistakesOf(build({ entities }))).toEqual([
      expect.stringMatching(/^the manifest must take at most 120000 bytes .*, got: \d+; divide it/),
    ]);
  });

  it('leave a manifest that the function refuses, for whoever ignores them', () => {
    expect(propertiesOf({ system: [LimitRate.perMinute('rpm', 0)] })['Manifest']).toBe('refused at synth');
  });
});

describe('several manifests', () => {
  it('have names of their own, which change when the construct moves', () => {
    const name = (id: string): string => {
      const stack = newStack();
      const limiter = RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableName: 'limits' });
      return new LimitsManifest(stack, id, { limiter, ...FEW }).manifestName;
    };
    expect(name('A')).not.toBe(name('B'));
    expect(name('A')).toBe(name('A'));
  });

  it('of one name in one namespace are told; in two namespaces they are not', () => {
    const two = (namespace: string) =>
      mistakesOf((stack) => {
        const limiter = RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableName: 'limits' });
        new LimitsManifest(stack, 'One', { limiter, ...FEW, manifestName: 'm' });
        new LimitsManifest(stack, 'Two', { limiter, ...FEW, manifestName: 'm', namespace });
      });
    expect(two('default')).toEqual([
      "manifestName must be one that no other manifest of namespace 'default' has, got: 'm', as Stack/One has",
    ]);
    expect(two('other')).toEqual([]);
  });
});
