import { describe, expect, it } from 'vitest';
import { loadArrow } from './arrow-file.js';

describe('Arrow', () => {
  it('is asked for by name where it is not installed', async () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });

    await expect(loadArrow(() => Promise.reject(missing))).rejects.toMatchObject({
      code: 'USAGE',
      message: '--arrow needs the package apache-arrow, which is not installed',
      hint: 'npm install apache-arrow beside @millrace/cli (with --global if that is), or take --csv',
    });
  });

  it('that cannot be loaded for another reason says so itself', async () => {
    const broken = new Error('broken');

    await expect(loadArrow(() => Promise.reject(broken))).rejects.toBe(broken);
  });
});
