import { pricesOf, SCENARIOS, type Scenario } from '@millrace/cost';
import { namesOf, numberOf, readOptions } from '../arguments.js';
import { type Bench, type Terminal, UsageError } from '../bench.js';
import { costBench } from './cost-bench.js';
import { markdownOf, textOf } from './render.js';
import { tablesOf } from './tables.js';

const NAMES = SCENARIOS.map(({ name }) => name);

/** `pnpm bench cost`: what operations and scenarios cost, counted on an engine, beside formulas and published figures. */
export const COST_BENCH: Bench = {
  name: 'cost',
  summary: 'units and dollars of operations and scenarios, counted, beside the estimator and the published figures',
  usage: `Usage: pnpm bench cost [options]

  --acquires <n>     of each scenario; ten times as many where the cache decides what is read (1000)
  --seed <n>         what chance decides (1)
  --scenario <name>  only these, separated by commas, and not the cache: ${NAMES.join(', ')}
  --json             the whole report as one JSON document
  --markdown         docs/costs.md

Exit code 1 if what was counted differs from the estimator by more than 2 %.
`,
  async run(args, terminal) {
    const { acquires, seed, scenarios, form } = optionsOf(args);
    const prices = pricesOf();
    const onStep = (what: string): void => void terminal.stderr.write(`cost: counting ${what}\n`);
    const report = await costBench({ acquires, seed, prices, onStep, ...(scenarios === undefined ? {} : { scenarios }) });
    const tables = tablesOf(report, prices);
    const texts = {
      json: () => `${JSON.stringify(report, null, 2)}\n`,
      markdown: () => markdownOf(report, tables),
      text: () => textOf(tables),
    };
    terminal.stdout.write(texts[form]());
    return verdictOn(report.scenarios, terminal);
  },
};

function verdictOn(
  scenarios: readonly { readonly scenario: string; readonly isWithin: boolean; readonly deviation: number }[],
  terminal: Terminal,
): number {
  const apart = scenarios.filter(({ isWithin }) => !isWithin);
  for (const { scenario, deviation } of apart) {
    terminal.stderr.write(`cost: what was counted of ${scenario} differs from the estimate by ${(deviation * 100).toFixed(2)} %\n`);
  }
  return apart.length === 0 ? 0 : 1;
}

interface CostOptions {
  readonly acquires: number;
  readonly seed: number;
  readonly scenarios: readonly Scenario['name'][] | undefined;
  readonly form: 'json' | 'markdown' | 'text';
}

function optionsOf(args: readonly string[]): CostOptions {
  const values = readOptions(args, {
    acquires: { type: 'string' },
    seed: { type: 'string' },
    scenario: { type: 'string' },
    json: { type: 'boolean' },
    markdown: { type: 'boolean' },
  });
  if (values.json && values.markdown) throw new UsageError('--json and --markdown are two forms: give one');
  return {
    acquires: Math.round(numberOf('acquires', values.acquires, 1_000, 1, 100_000)),
    seed: Math.round(numberOf('seed', values.seed, 1, 0, 2 ** 31)),
    scenarios: values.scenario === undefined ? undefined : namesOf('scenario', values.scenario, NAMES),
    form: values.json ? 'json' : values.markdown ? 'markdown' : 'text',
  };
}
