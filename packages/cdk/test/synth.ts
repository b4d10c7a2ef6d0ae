import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';

const outdir = mkdtempSync(join(tmpdir(), 'millrace-synth-'));
afterAll(() => rmSync(outdir, { recursive: true }));
// What the CDK's own validator finds is asserted where cdk-nag's findings are; here it would cost two seconds a file.
process.env['CDK_VALIDATION'] = 'false';
// A template names its assets whether or not they are copied, and no test reads where a construct was made.
const context = { 'aws:cdk:disable-asset-staging': true, 'aws:cdk:disable-stack-trace': true };

/** The template of a stack with what `build` makes in it. */
export function templateOf(build: (stack: Stack) => unknown): Template {
  const stack = newStack();
  build(stack);
  return Template.fromStack(stack);
}

/** What is told as wrong about what `build` makes, in the order of the paths. */
export function mistakesOf(build: (stack: Stack) => unknown): string[] {
  const stack = newStack();
  build(stack);
  return Annotations.fromStack(stack)
    .findError('*', Match.anyValue())
    .map(({ entry }) => String(entry.data));
}

/** A stack with a name of known length. */
export function newStack(): Stack {
  return new Stack(new App({ outdir, context }), 'Stack');
}

/** The properties of the only resource of a type. */
export function onlyOne(template: Template, type: string): Record<string, unknown> {
  const found = Object.values(template.findResources(type));
  if (found.length !== 1) throw new Error(`there must be one ${type}, got ${found.length}`);
  return (found[0] as { Properties: Record<string, unknown> }).Properties;
}
