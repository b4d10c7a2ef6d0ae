import { describe } from 'vitest';
import { SENDERS, sendUsually } from './faulty-world.js';

// What these files show of the usual transport must be true of the other one, too.
sendUsually(SENDERS[1]);

describe('over the SDK', async () => {
  await import('./sdk-retries-abort.test.js');
  await import('./sdk-retries-allow.test.js');
  await import('./sdk-retries-cascade.test.js');
});
