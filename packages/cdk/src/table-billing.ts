/** Bounds of what an on-demand table may spend in a second. */
export interface OnDemandOptions {
  /**
   * Read request units a second beyond which DynamoDB throttles, for the table and for its index each.
   *
   * @default - no bound but the account's
   */
  readonly maxReadRequestUnits?: number;

  /**
   * Write request units a second beyond which DynamoDB throttles, for the table and for its index each.
   *
   * @default - no bound but the account's
   */
  readonly maxWriteRequestUnits?: number;
}

/** Bounds between which provisioned capacity follows its use. */
export interface ProvisionedOptions {
  /**
   * Read units that there always are.
   *
   * @default 5
   */
  readonly minReadCapacity?: number;

  /** Read units that there are at most. */
  readonly maxReadCapacity: number;

  /**
   * Write units that there always are.
   *
   * @default 5
   */
  readonly minWriteCapacity?: number;

  /** Write units that there are at most. */
  readonly maxWriteCapacity: number;

  /**
   * The share of the capacity, in percent, that is meant to be used. DynamoDB lets 20 to 90 be asked for.
   *
   * @default 70
   */
  readonly targetUtilizationPercent?: number;
}

/** How the table is paid for. */
export class TableBilling {
  /** By request: nothing to plan, nothing for an idle table. What a limiter does is bursty, so this is the default. */
  static onDemand(options: OnDemandOptions = {}): TableBilling {
    return new TableBilling(options, undefined);
  }

  /** By capacity that follows its use within bounds: cheaper for steady traffic, and throttled where it jumps. */
  static provisioned(options: ProvisionedOptions): TableBilling {
    return new TableBilling(undefined, options);
  }

  /** Set where the table is paid by request. */
  readonly onDemandOptions?: OnDemandOptions;
  /** Set where the table has capacity of its own. */
  readonly provisionedOptions?: ProvisionedOptions;

  private constructor(onDemandOptions: OnDemandOptions | undefined, provisionedOptions: ProvisionedOptions | undefined) {
    this.onDemandOptions = onDemandOptions;
    this.provisionedOptions = provisionedOptions;
  }
}
