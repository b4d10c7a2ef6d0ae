import { describe, expect, it } from 'vitest';
import { runCommand } from './arguments.js';
import { cloudSettings } from './cloud-k6.js';

const ENV = { K6_CLOUD_TOKEN: 'token-of-grafana', MILLRACE_GATEWAY_TOKEN: 'a-token-of-the-gateway' };
const ARGS = ['simple', '--mode', 'cloud', '--project', '12', '--cloud-stack', '34', '--gateway', 'https://gateway.example.org/'];

describe('a run in Grafana Cloud', () => {
  it('goes through the Node service, whose port is open here', () => {
    expect(runCommand(ARGS, ENV)).toMatchObject({
      place: 'cloud',
      via: 'gateway',
      workforce: { workers: 1 },
      cloud: { projectId: 12, stackId: 34, gateway: 'https://gateway.example.org', gatewayPort: 8_080 },
    });
  });

  it('takes numbers from the variables of k6 where no option names them', () => {
    const env = { ...ENV, K6_CLOUD_PROJECT_ID: '5', K6_CLOUD_STACK_ID: '6' };
    expect(runCommand(['simple', '--mode', 'cloud', '--gateway', 'https://gateway.example.org'], env).cloud).toMatchObject({
      projectId: 5,
      stackId: 6,
    });
  });

  it('shares load among zones, evenly or as it is said', () => {
    const zones = (...given: string[]) => runCommand([...ARGS, ...given.flatMap((zone) => ['--zone', zone])], ENV).cloud?.zones;

    expect(zones('amazon:us:ashburn')).toEqual([{ zone: 'amazon:us:ashburn', percent: 100 }]);
    expect(zones('amazon:us:ashburn', 'amazon:de:frankfurt', 'amazon:jp:tokyo')?.map(({ percent }) => percent)).toEqual([34, 33, 33]);
    expect(zones('amazon:us:ashburn=80', 'amazon:de:frankfurt=20')?.map(({ percent }) => percent)).toEqual([80, 20]);
  });

  it('is told to k6 as its option cloud', () => {
    const plan = runCommand([...ARGS, '--zone', 'amazon:us:ashburn'], ENV).cloud;
    expect(plan && cloudSettings(plan, 'simple-1')).toEqual({
      name: 'simple-1',
      projectID: 12,
      stackID: 34,
      distribution: { 'amazon:us:ashburn': { loadZone: 'amazon:us:ashburn', percent: 100 } },
    });
  });

  it.each([
    [ARGS, { ...ENV, K6_CLOUD_TOKEN: '' }, 'needs a token of Grafana Cloud in K6_CLOUD_TOKEN'],
    [ARGS, { ...ENV, MILLRACE_GATEWAY_TOKEN: 'short' }, 'needs MILLRACE_GATEWAY_TOKEN'],
    [ARGS.slice(0, 3), ENV, 'needs --project or K6_CLOUD_PROJECT_ID'],
    [ARGS.slice(0, 5), ENV, 'needs --cloud-stack or K6_CLOUD_STACK_ID'],
    [ARGS.slice(0, 7), ENV, 'needs --gateway'],
    [[...ARGS, '--project', 'mine'], ENV, '--project must be the number of one'],
    [[...ARGS, '--gateway', 'http://gateway.example.org'], ENV, 'https URL'],
    [[...ARGS, '--gateway', 'https://127.0.0.1:8080'], ENV, "that Grafana's runners can reach"],
    [[...ARGS, '--gateway', 'https://10.1.2.3'], ENV, "that Grafana's runners can reach"],
    [[...ARGS, '--gateway', 'https://key:secret@gateway.example.org'], ENV, 'without keys in it'],
    [[...ARGS, '--gateway', 'https://gateway.example.org?token=secret'], ENV, 'without keys in it'],
    [[...ARGS, '--zone', 'ashburn'], ENV, '--zone must be as'],
    [[...ARGS, '--zone', 'amazon:us:ashburn=80'], ENV, 'come to 100'],
    [[...ARGS, '--via', 'direct'], ENV, 'would need keys of AWS'],
    [[...ARGS, '--workers', '3'], ENV, 'Grafana Cloud has its own'],
    [[...ARGS, '--stack', 'Rig'], ENV, '--cloud-stack'],
  ])('%j is refused before anything is made', (args, env, message) => {
    expect(() => runCommand(args, env)).toThrowError(message);
  });
});
