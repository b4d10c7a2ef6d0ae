import { describe, expect, it } from 'vitest';
import { goalsMet, renderBench } from './render-bench.js';

describe('what the bench says', () => {
  const bare = { cpuUs: 75, mbPerUser: 0.41 };
  const result = (cpuUs: number, mbPerCaller: number) => ({
    bare,
    acquire: { cpuUs, mbPerUser: 1.93 },
    shared: { cpuUs, mbPerUser: 10 * mbPerCaller, callers: 10, mbPerCaller },
    cpuRatio: cpuUs / bare.cpuUs,
    sharedCpuRatio: cpuUs / bare.cpuUs,
  });

  it('is of each goal whether it is met', () => {
    expect(renderBench(result(400, 0.61))).toMatch(/\n {2}met: at most 5\.33 times.*\n {2}missed: at most 0\.6 MB for each of 10 callers/);
    expect(renderBench(result(401, 0.6))).toMatch(/\n {2}missed: at most 5\.33 times.*\n {2}met: at most 0\.6 MB/);
    expect(goalsMet(result(401, 0.6))).toEqual({ cpu: false, memory: true });
  });
});
