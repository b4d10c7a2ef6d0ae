import { BillingMode, type Table } from 'aws-cdk-lib/aws-dynamodb';
import type { PropChecks } from './prop-checks.js';
import { type ProvisionedOptions, TableBilling } from './table-billing.js';

const LEAST_CAPACITY = 5;
const TARGET_PERCENT = 70;
const MOST_UNITS = 1_000_000_000;

/** What a way to pay means for the table and its indexes. */
export class TableCapacity {
  private readonly onDemand?: { maxReadRequestUnits?: number; maxWriteRequestUnits?: number };
  private readonly provisioned?: Required<ProvisionedOptions>;

  constructor(checks: PropChecks, { onDemandOptions, provisionedOptions }: TableBilling = TableBilling.onDemand()) {
    const units = (name: string, value: number | undefined, min = 1) => checks.wholeNumber(`billing: ${name}`, value, min, MOST_UNITS);
    if (provisionedOptions === undefined) {
      this.onDemand = {
        maxReadRequestUnits: units('maxReadRequestUnits', onDemandOptions?.maxReadRequestUnits),
        maxWriteRequestUnits: units('maxWriteRequestUnits', onDemandOptions?.maxWriteRequestUnits),
      };
      return;
    }
    const minReadCapacity = units('minReadCapacity', provisionedOptions.minReadCapacity) ?? LEAST_CAPACITY;
    const minWriteCapacity = units('minWriteCapacity', provisionedOptions.minWriteCapacity) ?? LEAST_CAPACITY;
    this.provisioned = {
      minReadCapacity,
      minWriteCapacity,
      maxReadCapacity: units('maxReadCapacity', provisionedOptions.maxReadCapacity, minReadCapacity) ?? minReadCapacity,
      maxWriteCapacity: units('maxWriteCapacity', provisionedOptions.maxWriteCapacity, minWriteCapacity) ?? minWriteCapacity,
      targetUtilizationPercent:
        checks.wholeNumber('billing: targetUtilizationPercent', provisionedOptions.targetUtilizationPercent, 20, 90) ?? TARGET_PERCENT,
    };
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
