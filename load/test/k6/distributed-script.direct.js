import { sleep } from 'k6';
import { Counter, Rate, Trend } from 'k6/metrics';

// A stand-in for a scenario: its latencies are drawn, and one worker may be slow, so that adding up has something to get wrong.
const acquire = new Trend('acquire', true);
const admitted = new Counter('admitted');
const errors = new Rate('limiter_errors');
const { perSecond, part } = JSON.parse(__ENV.MILLRACE_LOAD);

export const options = {
  scenarios: {
    steady: {
      executor: 'constant-arrival-rate',
      rate: perSecond,
      timeUnit: '1s',
      duration: `${part.toMs - part.fromMs}ms`,
      preAllocatedVUs: 20,
    },
  },
};

export default function () {
  if (__ENV.PLANTED === 'linger') sleep(60);
  acquire.add(Number(__ENV.SLOW_MS || 0) + 2 + Math.random() * 8);
  admitted.add(1);
  errors.add(false);
}
