const test = '[.]test(-d)?[.]ts$';

/** The rules of the house. A rule's comment is what its breaker reads. */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Two files that need each other are one idea, or share a third one that wants a file of its own.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'core-is-pure',
      comment: 'core runs in Node, Lambda and k6: no package, no node: module.',
      severity: 'error',
      from: { path: '^packages/core/src/', pathNot: test },
      to: { pathNot: '^packages/core/src/' },
    },
    {
      name: 'cost-is-formulas',
      comment: 'What the bill is computed by needs no clock, network or table.',
      severity: 'error',
      from: { path: '^packages/cost/src/', pathNot: test },
      to: { pathNot: ['^packages/cost/src/', '^packages/core/'] },
    },
    {
      name: 'engine-knows-only-core',
      comment: 'acquire, lease and cascade speak to the store port, so that k6 can run them.',
      severity: 'error',
      from: { path: '^packages/limiter/src/engine/', pathNot: test },
      to: { pathNot: ['^packages/limiter/src/engine/', '^packages/core/'] },
    },
    {
      name: 'wire-knows-only-core',
      comment: 'What a request and its reply mean is the same in Node and in k6: no hashes, sockets or timers of either.',
      severity: 'error',
      from: { path: '^packages/limiter/src/wire/', pathNot: test },
      to: { pathNot: ['^packages/limiter/src/wire/', '^packages/core/'] },
    },
    {
      name: 'k6-at-the-edge',
      comment: "k6's modules exist in k6 only.",
      severity: 'error',
      from: { pathNot: '^load/(src|test)/k6/' },
      to: { path: '(^|/)k6/|^k6$', pathNot: '^load/(src|test)/k6/' },
    },
    {
      name: 'scenarios-are-plans',
      comment: 'A scenario is read by Node and by k6: it knows neither, only the plan and core.',
      severity: 'error',
      from: { path: '^load/(scenarios|src/plan)/', pathNot: test },
      to: { pathNot: ['^load/(scenarios|src/plan)/', '^packages/core/'] },
    },
    {
      name: 'aws-sdk-at-the-edge',
      comment: "Requests are core's data. Only adapters send them, through the SDK or without it.",
      severity: 'error',
      from: {
        path: '^(packages|lambdas)/[^/]+/src/',
        pathNot: [
          '^packages/limiter/src/dynamo/',
          '^packages/limiter/src/metrics/cloudwatch/',
          '^packages/testing/src/pump/engine-stream[.]ts$',
          '^packages/demo/src/table-books[.]ts$',
          '^packages/bench/src/',
          '^lambdas/[^/]+/src/adapters/',
          test,
        ],
      },
      to: { path: 'node_modules/(@aws-sdk|@smithy|undici)/' },
    },
    {
      name: 'constructs-need-only-the-cdk',
      comment: 'Packages of ours are bundled into the one file that users synthesise with; whatever else they must have is the CDK.',
      severity: 'error',
      from: { path: '^packages/cdk/src/', pathNot: test },
      to: { path: 'node_modules/', pathNot: 'node_modules/(aws-cdk-lib|constructs|yaml)/' },
    },
    {
      name: 'public-doors-only',
      comment: 'Import the package, not its files.',
      severity: 'error',
      from: { path: '^(?:packages|lambdas)/([^/]+)/(src|test)/|^(?:docs|load)/()' },
      to: {
        path: '^(packages|lambdas)/[^/]+/src/',
        pathNot: [
          '^(packages|lambdas)/$1/src/',
          '/src/((engine|wire|contract|simulator|admin|manifest|metrics|metrics/cloudwatch)/)?index[.]ts$',
          '/src/(arbitraries|stream-filters|bundle/bundle-options)[.]ts$',
        ],
      },
    },
    {
      name: 'infra-is-a-stranger',
      comment: 'The app shows what the package offers: it uses what any user of it has, and nothing else of ours.',
      severity: 'error',
      from: { path: '^infra/(bin|stacks)/' },
      to: { path: '^(packages|lambdas)/', pathNot: '^packages/cdk/src/index[.]ts$' },
    },
    {
      name: 'no-test-code-in-src',
      comment: 'What ships must not need what only tests have.',
      severity: 'error',
      from: { path: '^packages/(core|limiter)/src/', pathNot: test },
      to: { path: ['^packages/testing/', test, 'node_modules/(vitest|fast-check|esbuild)/'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|lib|assets)/' },
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@millrace/source', 'import', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs'],
    },
  },
};
