import { describe, expect, it } from 'vitest';
import { describeConnection } from './describe-connection.js';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };

describe('describing a connection', () => {
  it('tells where requests would go, and whose they would be, and sends none', async () => {
    const unreachable = 'http://127.0.0.1:1';

    expect(await describeConnection({ endpoint: unreachable, region: 'local', credentials })).toEqual({
      region: 'local',
      accessKeyId: 'AKIDEXAMPLE',
      endpoint: unreachable,
    });
  });

  it('knows the endpoint of a region', async () => {
    const { endpoint } = await describeConnection({ region: 'eu-central-1', credentials });

    expect(endpoint).toMatch(/^https:\/\/dynamodb\.eu-central-1\.amazonaws\.com$/);
  });

  it('says what is wrong: the endpoint, or the credentials', async () => {
    const broken = async (): Promise<never> => {
      throw new Error('the profile has expired');
    };

    await expect(describeConnection({ endpoint: 'here', region: 'local', credentials })).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(describeConnection({ region: 'local', credentials: broken })).rejects.toMatchObject({
      code: 'CREDENTIALS',
      message: 'no usable AWS credentials: the profile has expired',
    });
  });
});
