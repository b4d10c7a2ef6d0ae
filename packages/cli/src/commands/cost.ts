import { breakEven, cacheTable, DEFAULT_REGION, modeCosts, monthlyBill, peerBills, perMillion, SCENARIOS, scaled } from '@millrace/cost';
import type { Command } from 'commander';
import { addWorkloadFlags, type CostFlags, scenarioOf, workloadFrom } from '../cost/flags.js';
import { readPrices } from '../cost/prices-file.js';
import { type CostView, cacheText, costText } from '../cost/view.js';
import { CliFailure } from '../failure.js';
import { parseShare } from '../parse/rate.js';
import { type Answer, addCommand, answering, type Cli } from '../session.js';

const SCENARIOS_HELP = SCENARIOS.map(({ name, does }) => `  ${name.padEnd(12)}  ${does}`).join('\n');

/** `millrace cost`: the bill of a workload, by formulas. It needs neither a table nor AWS. */
export function addCost(program: Command, cli: Cli): void {
  const command = addCommand(
    program,
    'cost',
    'estimate the bill of a workload, by part; needs neither a table nor AWS',
    'millrace cost --acquires 1000000/day --cascade 50% --compare',
  )
    .option('--scenario <name>', 'a workload with a name, whose figures other options change')
    .option(
      '--prices <file>',
      'prices in a JSON file, for a region (--region, AWS_REGION) that has none built in, or newer than those built in',
    )
    .option('--target-utilisation <share>', 'how far provisioned capacity is used', '0.7')
    .option('--compare', 'show what the closest peer publishes for the same workload, and what is billed of it')
    .option('--fallbacks <share>', "of the peer's acquires, those that fall back to its slow path", '0')
    .option('--config-cache', "show how often the configuration's cache is hit, by the rate of acquires, instead of a bill");
  addWorkloadFlags(command)
    .addHelpText('after', `\nScenarios:\n${SCENARIOS_HELP}`)
    .action(
      answering(cli, async ({ globals: { region }, env }, flags: CostFlags) =>
        flags.configCache ? cacheAnswer(flags) : billAnswer(flags, region ?? (env['AWS_REGION'] || undefined)),
      ),
    );
}

async function billAnswer(flags: CostFlags, region = DEFAULT_REGION): Promise<Answer> {
  const scenario = scenarioOf(flags);
  const workload = workloadFrom(flags);
  if (scenario === undefined && flags['acquires'] === undefined) {
    throw new CliFailure('USAGE', 'no workload is named', 'give --scenario <name>, or --acquires 10000/hour and what else differs');
  }
  const targetUtilisation = parseShare('target-utilisation', flags.targetUtilisation ?? '');
  if (targetUtilisation === 0)
    throw new CliFailure('USAGE', 'option "target-utilisation" must be above 0', 'provisioned capacity that nobody uses has no price');
  const fallbacks = parseShare('fallbacks', flags.fallbacks ?? '');
  const prices = await readPrices(flags.prices, region);
  const month = monthlyBill(workload, prices);
  const view: CostView = {
    region,
    workload,
    month,
    modes: modeCosts(month.total, prices, targetUtilisation),
    breakEven: breakEven(prices, targetUtilisation),
    targetUtilisation,
    peer: flags.compare ? peerBills(workload, prices, fallbacks) : undefined,
  };
  const { peer, modes, breakEven: even } = view;
  return {
    json: {
      region,
      scenario: scenario?.name ?? null,
      workload,
      prices,
      perMillion: perMillion(month, workload.acquiresPerMonth),
      perHour: scaled(month, 1 / 720).total,
      perMonth: month,
      modes,
      breakEven: even,
      ...(peer === undefined ? {} : { peer }),
    },
    text: (style) => costText(view, style),
  };
}

async function cacheAnswer(flags: CostFlags): Promise<Answer> {
  const { configTtlSec } = workloadFrom(flags);
  const rows = cacheTable(configTtlSec);
  return { json: { ttlSec: configTtlSec, rows }, text: (style) => cacheText(configTtlSec, rows, style) };
}
