import { runbookPage } from '../alarms/runbook.js';

/** What the dashboard says by itself, for somebody who was just woken by an alarm. */
export function runbookText(runbookUrl: string | undefined): string {
  return [
    `### What to look at first; the whole of it: ${runbookPage(runbookUrl)}`,
    '',
    '| what you see | what it is | what to do |',
    '| --- | --- | --- |',
    '| rejected up, admitted flat | somebody asks more than he may | find the resource above; `millrace explain ENTITY RESOURCE` |',
    '| acquires without an answer | the table refuses or cannot be reached | throttles by reason, then permissions, then the state of AWS |',
    '| throttles: one hot key range | one entity is too busy for a partition | the heaviest entities above; `prefetch` for its callers |',
    '| throttles: capacity | the table or the account may do no more | raise the maximum or the provisioned units |',
    '| lag grows | the aggregator is behind; limits hold nevertheless | errors, duration, then `parallelizationFactor` |',
    '| records given up, or gaps | usage is missing in the ledger | `millrace usage verify`, put the records back, `millrace usage repair` |',
    '| windows that could not be sealed | bills lack their seals; usage is whole | the log of the function; its timeout; `millrace usage seal` |',
    '| dollars up, admitted flat | a caller in a loop, or limits read too often | requests and the cache above; `millrace cost` |',
  ].join('\n');
}

/** What the dashboard is, and why parts of it may be empty. */
export function introduction(tableName: string): string {
  return [
    `# Millrace: \`${tableName}\``,
    'What callers see is empty until a service reports: `reportMetrics(limiter, { sink: emfSink() })`. ' +
      'What is told of the table and of the ledger is there by itself.',
  ].join('\n');
}
