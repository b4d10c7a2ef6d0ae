import { sleep } from 'k6';
import { Counter, Rate, Trend } from 'k6/metrics';

// A stand-in for a scenario: its latencies are drawn, and one worker is slow, so that merging has something to get wrong.
const acquire = new Trend('acquire', true);
const admitted = new Counter('admitted');
const errors = new Rate('limiter_errors');

export const options = {
  scenarios: {
    steady: {
      executor: 'constant-arrival-rate',
      rate: Number(__ENV.RATE),
      timeUnit: '1s',
      duration: `${__ENV.TO_SEC - __ENV.FROM_SEC}s`,
      preAllocatedVUs: 20,
    },
  },
};

export default function () {
  if (__ENV.MODE === 'throw') throw new Error('planted');
  const slow = Number(__ENV.SLOW_MS || 0);
  const value = slow + 2 + Math.random() * 8;
  if (__ENV.MODE === 'linger') sleep(60);
  acquire.add(value);
  console.log(`value ${value}`);
  admitted.add(1);
  errors.add(false);
}
