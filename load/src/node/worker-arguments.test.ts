import { describe, expect, it } from 'vitest';
import { runCommand } from './arguments.js';
import { UsageError } from './flags.js';

const onFargate = (...args: string[]) => runCommand(['llm-production', '--mode', 'fargate', '--stack', 'Rig', ...args]);
const onLambda = ['simple', '--mode', 'lambda', '--stack', 'Rig'];
const here = ['simple', '--mode', 'distributed'];

describe('the arguments of workers', () => {
  it('size the tasks of Fargate, which has certain pairs', () => {
    expect(onFargate().workforce).toEqual({ workers: 2 });
    expect(onFargate('--cpu', '4096', '--memory', '30720').workforce).toEqual({ workers: 2, size: { cpu: 4_096, memoryMb: 30_720 } });
    expect(onFargate('--cpu', '512').workforce.size).toEqual({ cpu: 512, memoryMb: 2_048 });
    expect(onFargate('--cpu', '8192').workforce.size).toEqual({ cpu: 8_192, memoryMb: 16_384 });
  });

  it('say how many users one has, and when it is started', () => {
    expect(onFargate('--users-per-worker', '25', '--lead', '1.5m').workforce).toEqual({
      workers: 2,
      scaling: { usersPerWorker: 25, minWorkers: 1, maxWorkers: 100 },
      leadSec: 90,
    });
    expect(onFargate('--users-per-worker', '1', '--min-workers', '3', '--max-workers', '8').workforce.scaling).toEqual({
      usersPerWorker: 1,
      minWorkers: 3,
      maxWorkers: 8,
    });
  });

  it('bound connections: of each user, or of the Node service', () => {
    expect(runCommand(['simple'])).not.toHaveProperty('connections');
    expect(runCommand(['simple', '--connections', '0'])).toMatchObject({ connections: 0 });
    expect(runCommand(['simple', '--via', 'gateway', '--connections', '1000'])).toMatchObject({ connections: 1_000 });
  });

  it.each([
    [[...onLambda, '--memory', '3008'], 'set lambdaMemoryMb of the LoadRig and deploy it'],
    [[...onLambda, '--cpu', '1024'], 'processors by it (1769 MB is one): set lambdaMemoryMb'],
    [[...here, '--cpu', '1024'], '--cpu is for --mode fargate, got --mode distributed'],
    [['simple', '--memory', '2048'], '--memory is for --mode fargate, got --mode local'],
    [['simple', '--mode', 'fargate', '--stack', 'Rig', '--memory', '2048'], 'give --cpu, too'],
    [['simple', '--mode', 'fargate', '--stack', 'Rig', '--cpu', '1000'], '--cpu must be one of 256, 512, 1024'],
    [['simple', '--mode', 'fargate', '--stack', 'Rig', '--cpu', '256', '--memory', '768'], 'one of 512, 1024, 2048 MB for --cpu 256'],
    [['simple', '--mode', 'fargate', '--stack', 'Rig', '--cpu', '8192', '--memory', '17408'], 'one of 16384, 20480,'],
    [['simple', '--users-per-worker', '10'], '--users-per-worker: --mode local is one k6'],
    [['simple', '--lead', '10s'], '--lead: --mode local is one k6'],
    [[...here, '--users-per-worker', '10', '--workers', '3'], 'give one of the two'],
    [[...here, '--max-workers', '10'], '--max-workers bounds what --users-per-worker makes'],
    [[...here, '--users-per-worker', '0'], '--users-per-worker must be a whole number'],
    [[...here, '--users-per-worker', '5', '--min-workers', '9', '--max-workers', '8'], '--min-workers must be at most --max-workers, 8'],
    [[...here, '--users-per-worker', '5', '--max-workers', '1001'], '--max-workers must be a whole number from 1 to 1000'],
    [[...here, '--lead', '11m'], '--lead must be at most 10m'],
    [['simple', '--via', 'gateway', '--connections', '0'], '1 is the least'],
    [['simple', '--connections', '10001'], '--connections must be a whole number from 1 to 10000'],
  ])('%j are refused: %s', (args, message) => {
    expect(() => runCommand(args)).toThrowError(UsageError);
    expect(() => runCommand(args)).toThrowError(message);
  });
});
