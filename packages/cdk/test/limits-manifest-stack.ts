import { LimitRate, LimitsManifest, type LimitsManifestOptions, RateLimiter } from '@millrace/cdk';
import type { Stack } from 'aws-cdk-lib';
import { onlyOne, templateOf } from './synth.js';

export const TYPE = 'Custom::MillraceLimits';
export const FEW = { resources: [{ resource: 'gpt-4', limits: [LimitRate.perMinute('rpm', 500)] }] };

/** Makes a manifest of a limiter that is elsewhere. */
export const build =
  (options: LimitsManifestOptions | ((stack: Stack) => LimitsManifestOptions) = FEW) =>
  (stack: Stack): LimitsManifest => {
    const limiter = RateLimiter.fromRateLimiterAttributes(stack, 'Limiter', { tableName: 'limits' });
    return new LimitsManifest(stack, 'Limits', { limiter, ...(typeof options === 'function' ? options(stack) : options) });
  };

/** The properties of the resource. */
export const propertiesOf = (options?: Parameters<typeof build>[0]): Record<string, unknown> => onlyOne(templateOf(build(options)), TYPE);
