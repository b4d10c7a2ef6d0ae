import { Tags, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { type PropChecks, shown } from './prop-checks.js';

const MAX_KEY = 128;
const MAX_VALUE = 256;
const MAX_TAGS = 45;

/** Tags on all that a construct makes. Wrong ones are told, and left out. */
export function addTags(scope: IConstruct, checks: PropChecks, tags: { readonly [key: string]: string } = {}): void {
  const entries = Object.entries(tags);
  // A resource has 50, of which CloudFormation and the stack need some.
  if (entries.length > MAX_TAGS) checks.refuse(`tags must be at most ${MAX_TAGS}, got: ${entries.length}`);
  for (const [key, value] of entries) {
    if (!Token.isUnresolved(key) && (key.length > MAX_KEY || key === '' || /^aws:/i.test(key))) {
      checks.refuse(`the key of a tag must have 1 to ${MAX_KEY} characters and not begin with aws:, got: '${key}'`);
    } else if (typeof value !== 'string') {
      checks.refuse(`tag '${key}' must be a text, got: ${shown(value)}`);
    } else if (!Token.isUnresolved(value) && value.length > MAX_VALUE) {
      checks.refuse(`tag '${key}' must have at most ${MAX_VALUE} characters, got: ${value.length}`);
    } else {
      Tags.of(scope).add(key, value);
    }
  }
}
