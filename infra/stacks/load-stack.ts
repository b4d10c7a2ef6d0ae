import { type IRateLimiter, LoadRig } from '@millrace/cdk';
import { Stack, type StackProps } from 'aws-cdk-lib';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Stage } from '../stage.js';

/** Whom the workers load, and what they are made of. */
export interface LoadStackProps extends StackProps {
  readonly limiter: IRateLimiter;
  readonly stage: Stage;
}

/** The workers of `pnpm load run --mode lambda` and `--mode fargate`: deployed for a test, and taken away after it. */
export class LoadStack extends Stack {
  constructor(scope: Construct, id: string, { limiter, stage, ...props }: LoadStackProps) {
    super(scope, id, props);
    const { loadAssets, loadArchitecture, loadImage, name } = stage;
    if (loadAssets === undefined)
      throw new Error('context "loadAssets" must be the folder that `pnpm load assets --out` wrote, got: nothing');
    new LoadRig(this, 'Rig', {
      limiter,
      workerAssets: loadAssets,
      architecture: loadArchitecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
      ...(loadImage === undefined ? {} : { image: ContainerImage.fromRegistry(loadImage) }),
      tags: { stage: name },
    });
  }
}
