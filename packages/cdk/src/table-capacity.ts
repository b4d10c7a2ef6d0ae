import { BillingMode, type Table } from 'aws-cdk-lib/aws-dynamodb';
import { type OptionNames, type PropChecks, shown } from './prop-checks.js';
import { type OnDemandOptions, type ProvisionedOptions, TableBilling } from './table-billing.js';

const LEAST_CAPACITY = 5;
const TARGET_PERCENT = 70;
const MOST_UNITS = 1_000_000_000;

const ON_DEMAND_OPTIONS: OptionNames<OnDemandOptions> = { maxReadRequestUnits: true, maxWriteRequestUnits: true };
const PROVISIONED_OPTIONS: OptionNames<ProvisionedOptions> = {
  minReadCapacity: true,
  maxReadCapacity: true,
  minWriteCapacity: true,
  maxWriteCapacity: true,
  targetUtilizationPercent: true,
};

/** What a way to pay means for the table and its indexes. */
export class TableCapacity {
  private readonly onDemand?: OnDemandOptions;
  private readonly provisioned?: Required<ProvisionedOptions>;

  constructor(checks: PropChecks, billing: TableBilling = TableBilling.onDemand()) {
    const onDemand = checks.options('billing', billing?.onDemandOptions, ON_DEMAND_OPTIONS);
    const provisioned = checks.options('billing', billing?.provisionedOptions, PROVISIONED_OPTIONS);
    if (onDemand === undefined && provisioned === undefined) {
      checks.refuse(`billing must be what TableBilling.onDemand or TableBilling.provisioned gives for its options, got: ${shown(billing)}`);
    }
    if (provisioned === undefined) this.onDemand = boundsOf(checks, onDemand);
    else this.provisioned = capacityOf(checks, provisioned);
  }

  /** For the table. */
  tableProps() {
    const billingMode = this.provisioned === undefined ? BillingMode.PAY_PER_REQUEST : BillingMode.PROVISIONED;
    return { billingMode, ...this.indexProps() };
  }

  /** For an index, which pays as the table does. */
  indexProps() {
    if (this.provisioned === undefined) return { ...this.onDemand };
    return { readCapacity: this.provisioned.minReadCapacity, writeCapacity: this.provisioned.minWriteCapacity };
  }

  /** Lets capacity follow its use, that of each index by itself: an index without capacity throttles the table's writes. */
  scale(table: Table, indexNames: readonly string[]): void {
    if (this.provisioned === undefined) return;
    const { minReadCapacity, maxReadCapacity, minWriteCapacity, maxWriteCapacity, targetUtilizationPercent } = this.provisioned;
    const reads = { minCapacity: minReadCapacity, maxCapacity: maxReadCapacity };
    const writes = { minCapacity: minWriteCapacity, maxCapacity: maxWriteCapacity };
    const scalings = [
      table.autoScaleReadCapacity(reads),
      table.autoScaleWriteCapacity(writes),
      ...indexNames.flatMap((name) => [
        table.autoScaleGlobalSecondaryIndexReadCapacity(name, reads),
        table.autoScaleGlobalSecondaryIndexWriteCapacity(name, writes),
      ]),
    ];
    for (const scaling of scalings) scaling.scaleOnUtilization({ targetUtilizationPercent });
  }
}

function unitsOf(checks: PropChecks, name: string, value: number | undefined, min = 1): number | undefined {
  return checks.wholeNumber(`billing: ${name}`, value, min, MOST_UNITS);
}

function boundsOf(checks: PropChecks, options: OnDemandOptions = {}): OnDemandOptions {
  return {
    maxReadRequestUnits: unitsOf(checks, 'maxReadRequestUnits', options.maxReadRequestUnits),
    maxWriteRequestUnits: unitsOf(checks, 'maxWriteRequestUnits', options.maxWriteRequestUnits),
  };
}

function capacityOf(checks: PropChecks, options: ProvisionedOptions): Required<ProvisionedOptions> {
  const minReadCapacity = unitsOf(checks, 'minReadCapacity', options.minReadCapacity) ?? LEAST_CAPACITY;
  const minWriteCapacity = unitsOf(checks, 'minWriteCapacity', options.minWriteCapacity) ?? LEAST_CAPACITY;
  for (const name of ['maxReadCapacity', 'maxWriteCapacity'] as const) {
    if (options[name] === undefined) checks.refuse(`billing: ${name} must be set: provisioned capacity has no bound by itself`);
  }
  return {
    minReadCapacity,
    minWriteCapacity,
    maxReadCapacity: unitsOf(checks, 'maxReadCapacity', options.maxReadCapacity, minReadCapacity) ?? minReadCapacity,
    maxWriteCapacity: unitsOf(checks, 'maxWriteCapacity', options.maxWriteCapacity, minWriteCapacity) ?? minWriteCapacity,
    targetUtilizationPercent:
      checks.wholeNumber('billing: targetUtilizationPercent', options.targetUtilizationPercent, 20, 90) ?? TARGET_PERCENT,
  };
}
