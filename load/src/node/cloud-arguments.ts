import { isHttpUrl, optional, UsageError, wholeOf } from './flags.js';

/** Where a run is made in Grafana Cloud, and how its users find the limiter. None of it is a secret. */
export interface CloudPlan {
  readonly projectId: number;
  readonly stackId: number;
  /** Where load comes from, by zone, in percent; absent for Grafana's own choice. */
  readonly zones?: readonly { readonly zone: string; readonly percent: number }[];
  /** The public URL that leads to the Node service of this machine. */
  readonly gateway: string;
  /** Where that service listens. */
  readonly gatewayPort: number;
}

/** What users of the cloud show the Node service. It goes there as a secret of Grafana's, and never in an archive. */
export const GATEWAY_TOKEN_VARIABLE = 'MILLRACE_GATEWAY_TOKEN';

export const CLOUD_OPTIONS = {
  project: { type: 'string' },
  'cloud-stack': { type: 'string' },
  zone: { type: 'string', multiple: true },
  gateway: { type: 'string' },
  'gateway-port': { type: 'string' },
} as const;

export const CLOUD_OPTIONS_USAGE = `Of --mode cloud (keys of AWS never go there, so its users come through a Node service that this command serves):
  --gateway URL     the public https URL that leads to this machine
  --gateway-port N  where the service listens here (8080)
  --project ID      the project in Grafana Cloud (env: K6_CLOUD_PROJECT_ID)
  --cloud-stack ID  the stack in Grafana Cloud (env: K6_CLOUD_STACK_ID)
  --zone Z[=P]      a load zone, with its share in percent; may be given again (amazon:us:ashburn)
  env: K6_CLOUD_TOKEN, and MILLRACE_GATEWAY_TOKEN, which is the secret millrace-gateway-token in Grafana Cloud
`;

/** As the options were given. */
export interface CloudValues {
  readonly project?: string | undefined;
  readonly 'cloud-stack'?: string | undefined;
  readonly zone?: readonly string[] | undefined;
  readonly gateway?: string | undefined;
  readonly 'gateway-port'?: string | undefined;
}

/** Refuses options of the cloud where the run is made elsewhere. @throws UsageError */
export function refuseCloudOptions(values: CloudValues, place: string): void {
  const given = (Object.keys(CLOUD_OPTIONS) as (keyof CloudValues)[]).find((name) => values[name] !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} is for --mode cloud, got --mode ${place}`);
}

/**
 * Reads where in the cloud, and that nothing is missing: k6 would say so only when the table is made and the script packed.
 *
 * @throws UsageError
 */
export function cloudPlan(values: CloudValues, env: NodeJS.ProcessEnv): CloudPlan {
  if (!env['K6_CLOUD_TOKEN'])
    throw new UsageError('--mode cloud needs a token of Grafana Cloud in K6_CLOUD_TOKEN (Testing & synthetics, Performance, Settings)');
  const projectId = idOf(
    'project',
    values.project ?? env['K6_CLOUD_PROJECT_ID'],
    'K6_CLOUD_PROJECT_ID; it stands in the URL of the project',
  );
  const stackId = idOf('cloud-stack', values['cloud-stack'] ?? env['K6_CLOUD_STACK_ID'], 'K6_CLOUD_STACK_ID; k6 2 wants it');
  const zones = values.zone === undefined ? undefined : zonesOf(values.zone);
  const gateway = publicUrl(values.gateway);
  if (!/^[!-~]{16,256}$/.test(env[GATEWAY_TOKEN_VARIABLE] ?? ''))
    throw new UsageError(
      `--mode cloud needs ${GATEWAY_TOKEN_VARIABLE}, 16 to 256 printable characters: the service is public, and would serve anybody. ` +
        'Store the same text in Grafana Cloud as the secret millrace-gateway-token',
    );
  return {
    projectId,
    stackId,
    ...optional('zones', zones),
    gateway,
    gatewayPort: wholeOf('gateway-port', values['gateway-port'], 8_080, 65_535),
  };
}

function idOf(option: string, text: string | undefined, where: string): number {
  if (!text) throw new UsageError(`--mode cloud needs --${option} or ${where}`);
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`--${option} must be the number of one, got "${text}"`);
  return Number(text);
}

/** Loopback, private and link-local addresses, which no runner elsewhere reaches. */
const NOT_PUBLIC =
  /^(localhost|.*\.(local|internal|localhost)|127\..*|10\..*|192\.168\..*|169\.254\..*|172\.(1[6-9]|2\d|3[01])\..*|0\.0\.0\.0|\[.*\])$/;

function publicUrl(text: string | undefined): string {
  if (text === undefined) throw new UsageError('--mode cloud needs --gateway, the public URL that leads to this machine');
  if (!isHttpUrl(text) || new URL(text).protocol !== 'https:' || NOT_PUBLIC.test(new URL(text).hostname))
    throw new UsageError(`--gateway must be an https URL that Grafana's runners can reach, got "${text}"`);
  if (new URL(text).username !== '' || new URL(text).search !== '')
    throw new UsageError('--gateway must be a URL without keys in it: it stands in the archive; use MILLRACE_GATEWAY_TOKEN');
  return text.replace(/\/+$/, '');
}

function zonesOf(texts: readonly string[]): readonly { readonly zone: string; readonly percent: number }[] {
  const named = texts.map((text) => {
    const [, zone, share] = /^([a-z]+:[a-z]+:[a-z-]+)(?:=(\d{1,3}))?$/.exec(text) ?? [];
    if (zone === undefined) throw new UsageError(`--zone must be as amazon:us:ashburn or amazon:us:ashburn=50, got "${text}"`);
    return { zone, share };
  });
  const isShared = named.every(({ share }) => share === undefined);
  if (!isShared && named.reduce((sum, { share }) => sum + Number(share ?? 0), 0) !== 100)
    throw new UsageError(`--zone: the shares must come to 100, got "${texts.join(', ')}"`);
  const even = Math.floor(100 / named.length);
  // What does not divide goes to the first.
  const rest = 100 - even * named.length;
  return named.map(({ zone, share }, at) => ({ zone, percent: isShared ? even + (at === 0 ? rest : 0) : Number(share ?? 0) }));
}
