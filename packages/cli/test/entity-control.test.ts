import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, openCommandLine } from './command-line.js';

let here: CommandLine;
beforeAll(async () => {
  here = await openCommandLine();
  await here.answer('resource limits set gpt-4 rpd:20/day');
});
afterAll(() => here.close());

const controlled = (entity: string, mode: string, reason?: string) => ({
  entity,
  control: { mode, ...(reason === undefined ? {} : { reason }) },
});

describe('how an entity is treated', () => {
  it('disable refuses every acquire with the reason, and enable ends that', async () => {
    const disabled = await here.millrace(['entity', 'disable', 'key-1', '--reason', 'unpaid bill']);
    const refused = await here.millrace('acquire key-1 gpt-4 rpd=1');

    expect(disabled).toMatchObject({ code: 0, out: 'entity key-1 is disabled: every acquire is refused\n', err: '' });
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('error: entity "key-1" is disabled: unpaid bill');
    expect(refused.err).toContain('hint: "millrace entity enable" lets it acquire again\n');
    expect(await here.millrace('acquire key-1 gpt-4 rpd=1 --json')).toMatchObject({
      error: { code: 'ENTITY_DISABLED', entity: 'key-1', reason: 'unpaid bill' },
    });
    expect(await here.answer('entity enable key-1')).toEqual(controlled('key-1', 'enforce'));
    expect(await here.millrace('acquire key-1 gpt-4 rpd=1')).toMatchObject({ code: 0 });
    expect((await here.millrace('entity enable key-1')).out).toBe('entity key-1 is treated as its limits say\n');
    expect(await here.millrace(['entity', 'enable', ''])).toMatchObject({ code: 64 });
  });

  it('disable and bypass and shadow refuse a reason that is none', async () => {
    for (const mode of ['disable', 'bypass', 'shadow']) {
      const { code, error } = await here.millrace(['entity', mode, 'key-1', '--reason', ' ', '--json']);

      expect({ mode, code, error: error.code }).toEqual({ mode, code: 64, error: 'VALIDATION' });
    }
  });

  it('bypass admits without counting', async () => {
    expect(await here.answer('entity bypass key-2 --reason load-test')).toEqual(controlled('key-2', 'bypass', 'load-test'));
    expect((await here.millrace('entity bypass key-2')).out).toBe('entity key-2 is bypassed: admitted without being counted\n');
    expect(await here.answer('acquire key-2 gpt-4 rpd=20')).toMatchObject({ allowed: true, bypassed: ['key-2'] });
    const again = await here.millrace('acquire key-2 gpt-4 rpd=20');
    expect(again).toMatchObject({ code: 0, out: expect.stringMatching(/^allowed {2}bypassed, nothing counted\n/) });
    await here.answer('entity enable key-2');
    expect(await here.answer('available key-2 gpt-4')).toMatchObject({ available: { rpd: 20 } });
  });

  it('bypass of an ancestor leaves the entity counted, and says who is not', async () => {
    await here.answer('entity create org');
    await here.answer('entity create key-6 --parent org --cascade');
    await here.answer('entity bypass org');
    const admitted = await here.millrace('acquire key-6 gpt-4 rpd=5');

    expect(admitted.out).toContain('allowed  taken: rpd 5\nbypassed: nothing was counted at org\n');
    expect(await here.answer('available key-6 gpt-4')).toMatchObject({ levels: [{ available: 15 }, { available: 20 }] });
  });

  it('shadow counts, refuses nothing, and says what would have been refused', async () => {
    expect(await here.answer('entity shadow key-3')).toEqual(controlled('key-3', 'shadow'));
    expect((await here.millrace('entity shadow key-3')).out).toBe('entity key-3 is in shadow mode: decided and counted, never refused\n');
    await here.answer('acquire key-3 gpt-4 rpd=20');
    const beyond = await here.millrace('acquire key-3 gpt-4 rpd=5');

    expect(beyond.code).toBe(0);
    expect(beyond.out).toContain('allowed  taken: rpd 5\nshadow: this would have been refused if the entity were not in shadow mode\n');
    expect(await here.answer('acquire key-3 gpt-4 rpd=5')).toMatchObject({ allowed: true, shadowViolations: [{ limit: 'rpd' }] });
  });
});

describe('what is left in a bucket', () => {
  it('reset makes it full', async () => {
    await here.answer('acquire key-4 gpt-4 rpd=20');

    expect(await here.millrace('entity reset key-4 gpt-4')).toMatchObject({
      code: 0,
      out: 'entity key-4 has full buckets on gpt-4\n',
      err: '',
    });
    expect(await here.answer('available key-4 gpt-4')).toMatchObject({ available: { rpd: 20 } });
    expect(await here.answer('entity reset key-4 gpt-4')).toEqual({ entity: 'key-4', resource: 'gpt-4', reset: true });
    expect(await here.millrace('entity reset key-4 none')).toMatchObject({ code: 64, err: expect.stringContaining('has a bucket of') });
  });

  it('reset of a large one leaves room for a request of its whole capacity', async () => {
    await here.answer('resource limits set large d:1000/day');
    await here.answer('acquire key-7 large d=400');
    await here.answer('entity reset key-7 large');

    expect(await here.answer('available key-7 large')).toMatchObject({ available: { d: 1_000 } });
    expect(await here.millrace('acquire key-7 large d=1000')).toMatchObject({ code: 0 });
  });

  it('grant gives tokens now', async () => {
    await here.answer('acquire key-5 gpt-4 rpd=20');

    expect(await here.millrace('entity grant key-5 gpt-4 rpd=12')).toMatchObject({
      code: 0,
      out: 'granted entity key-5 on gpt-4: rpd 12\n',
    });
    expect(await here.answer('available key-5 gpt-4')).toMatchObject({ available: { rpd: 12 } });
    expect(await here.answer('entity grant key-5 gpt-4 rpd=1')).toEqual({
      entity: 'key-5',
      resource: 'gpt-4',
      granted: { rpd: 1 },
      asked: { rpd: 1 },
    });
    expect((await here.millrace('entity grant key-5 gpt-4 rpd=50')).out).toBe(
      'granted entity key-5 on gpt-4: rpd 7 of 50, as it is full then\n',
    );
    expect(await here.answer('entity grant key-5 gpt-4 rpd=50')).toMatchObject({ granted: { rpd: 0 }, asked: { rpd: 50 } });
    expect(await here.millrace('entity grant key-5 gpt-4 rpd=-1')).toMatchObject({
      code: 64,
      err: 'error: amount must be written as limit=tokens (rpm=1), got "rpd=-1"\n',
    });
    expect(await here.millrace('entity grant key-5 gpt-4 tpd=1 --json')).toMatchObject({
      code: 64,
      error: { code: 'VALIDATION', value: 'tpd' },
    });
  });
});
