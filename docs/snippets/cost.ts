import { monthlyBill, perMillion, pricesOf, workloadOf } from '@millrace/cost';

const workload = workloadOf({ acquiresPerMonth: 7_200_000, cascadeShare: 0.5, configMissShare: 0.02, usageWindows: 0 });
const bill = monthlyBill(workload, pricesOf('us-east-1'));

for (const { part, writeUnits, readUnits, usd } of bill.parts) {
  if (usd > 0) console.log(`${part}: ${writeUnits} writes, ${readUnits} reads, $${usd.toFixed(4)}`);
}
console.log(`a million acquires: $${perMillion(bill, workload.acquiresPerMonth).total.usd.toFixed(3)}`);
