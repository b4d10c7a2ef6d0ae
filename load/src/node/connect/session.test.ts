import { describe, expect, it } from 'vitest';
import { type RigTask, startedByOf, workersAmong } from '../../aws/rig-tasks.js';
import { decide, missingTools, readiness, sessionArguments, shellLine } from './session.js';
import { keepTunnel, type TunnelEnd } from './tunnel.js';

const CLUSTER = 'arn:aws:ecs:eu-west-1:123456789012:cluster/Rig-Cluster';
const task = (more: Partial<RigTask> = {}): RigTask => ({
  arn: 'arn:aws:ecs:eu-west-1:123456789012:task/Rig-Cluster/0123abcd',
  run: 'simple-1',
  status: 'RUNNING',
  isReachable: true,
  isAgentReady: true,
  runtimeId: '0123abcd-42',
  ...more,
});
const asked = { force: false, destroy: false };

describe('the workers among the tasks of a cluster', () => {
  it('are those that a run has marked, oldest first, whatever else runs there', () => {
    const [early, late] = [new Date(1_000), new Date(2_000)];
    const tasks = [
      { taskArn: 'b', startedBy: startedByOf('simple-2'), lastStatus: 'PENDING', startedAt: late },
      { taskArn: 'web', startedBy: 'ecs-svc/1', lastStatus: 'RUNNING' },
      {
        taskArn: 'a',
        startedBy: startedByOf('simple-1'),
        lastStatus: 'RUNNING',
        startedAt: early,
        enableExecuteCommand: true,
        containers: [{ name: 'k6', runtimeId: 'r-1', managedAgents: [{ name: 'ExecuteCommandAgent' as const, lastStatus: 'RUNNING' }] }],
      },
    ];
    expect(workersAmong(tasks, 'k6')).toEqual([
      { arn: 'a', run: 'simple-1', status: 'RUNNING', isReachable: true, isAgentReady: true, runtimeId: 'r-1', startedAtMs: 1_000 },
      { arn: 'b', run: 'simple-2', status: 'PENDING', isReachable: false, isAgentReady: false, startedAtMs: 2_000 },
    ]);
  });

  it('have a mark that ECS takes', () => {
    expect(startedByOf(`rejection-storm-20260101-000000-${'x'.repeat(200)}`)).toMatch(/^[\w/-]{1,128}$/);
  });
});

describe('which task is looked into', () => {
  it('is one whose dashboard is on, and a new one where there is none', () => {
    expect(decide([task({ isReachable: false }), task()], asked)).toEqual({ kind: 'use', task: task() });
    expect(decide([task({ isReachable: false })], asked)).toEqual({ kind: 'start', end: [] });
    expect(decide([task({ status: 'STOPPING' })], asked)).toEqual({ kind: 'start', end: [] });
  });

  it('is a new one by force, which ends the others; workers of other runs are left alone', () => {
    const other = task({ isReachable: false });
    expect(decide([other, task()], { force: true, destroy: false })).toEqual({ kind: 'start', end: [task()] });
    expect(decide([other, task()], { force: false, destroy: true })).toEqual({ kind: 'end', end: [task()] });
    expect(decide([other], { force: false, destroy: true })).toEqual({ kind: 'end', end: [] });
  });

  it.each([
    ['ready', task()],
    ['starting', task({ status: 'PENDING' })],
    ['starting', task({ isAgentReady: false })],
    ['starting', task({ status: 'ACTIVATING' })],
    ['gone', task({ status: 'DEPROVISIONING' })],
    ['gone', undefined],
  ])('is %s', (expected, given) => {
    expect(readiness(given)).toBe(expected);
  });
});

describe('the command of a tunnel', () => {
  it('names region, task and ports, and can be pasted into a shell', () => {
    const args = sessionArguments({ cluster: CLUSTER, task: task(), localPort: 9_000, remotePort: 5_665 });

    expect(shellLine('aws', args)).toBe(
      'aws ssm start-session --region eu-west-1 --target ecs:Rig-Cluster_0123abcd_0123abcd-42 ' +
        `--document-name AWS-StartPortForwardingSession --parameters '{"portNumber":["5665"],"localPortNumber":["9000"]}'`,
    );
    expect(shellLine('echo', ["it's"])).toBe(`echo 'it'\\''s'`);
  });

  it('wants two tools, and says which is missing and where it is', () => {
    expect(missingTools({ aws: true, plugin: true })).toEqual([]);
    expect(missingTools({ aws: true, plugin: false })).toEqual([expect.stringMatching(/session-manager-plugin: https:/)]);
    expect(missingTools({ aws: false, plugin: false })).toHaveLength(2);
  });
});

describe('a tunnel', () => {
  /** Ends as it is told, one time after the other; the task is there until all are used up. */
  function tunnel(ends: readonly TunnelEnd[]) {
    const [said, waits, opened]: [string[], number[], number[]] = [[], [], []];
    let count = 0;
    const keeping = keepTunnel({
      open: async (onOpen) => {
        const end = ends[count++] as TunnelEnd;
        if (end.wasOpen) onOpen();
        return end;
      },
      isThere: async () => count < ends.length,
      onOpen: () => void opened.push(count),
      say: (text) => void said.push(text),
      sleep: async (delayMs) => void waits.push(delayMs),
      signal: new AbortController().signal,
    });
    return { keeping, said, waits, opened };
  }
  const failed: TunnelEnd = { wasOpen: false, said: 'one\nTargetNotConnected' };
  const closed: TunnelEnd = { wasOpen: true, said: '' };

  it('is tried again while its agent is not known everywhere, and opened again when its session ends', async () => {
    const { keeping, said, waits, opened } = tunnel([failed, failed, closed, failed, closed]);
    await keeping;

    expect(opened).toEqual([3, 5]);
    expect(waits).toEqual([2_000, 2_000, 2_000, 2_000]);
    expect(said[1]).toBe('no tunnel yet (2 of 5): TargetNotConnected');
    expect(said[2]).toContain('opened again');
  });

  it('is given up after five failures in a row, with what was said', async () => {
    const { keeping, waits } = tunnel([failed, failed, failed, failed, failed, failed]);

    await expect(keeping).rejects.toThrow(/no tunnel after 5 tries: .*TargetNotConnected/s);
    expect(waits).toHaveLength(4);
  });

  it('ends quietly with its task', async () => {
    const { keeping, said } = tunnel([closed]);
    await keeping;

    expect(said).toEqual([]);
  });
});
