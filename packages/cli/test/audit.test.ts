import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, lines, openCommandLine, steady } from './command-line.js';

interface Listed {
  readonly events: readonly {
    readonly id: string;
    readonly action: string;
    readonly subject: string;
    readonly actor?: string;
    readonly at: string;
  }[];
  readonly next?: string;
}

/** The millisecond that a ULID begins with: ten digits of 32. */
function timeOf(id: string): number {
  return [...id.slice(0, 10)].reduce((ms, digit) => ms * 32 + '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(digit), 0);
}

let here: CommandLine;
beforeAll(async () => {
  here = await openCommandLine();
  await here.answer('resource limits set gpt-4 rpm:5/min');
  await here.answer('resource limits set gpt-4 rpm:7/min --actor alice');
  await here.answer('entity create key-1', { env: { MILLRACE_ACTOR: 'bob' } });
  await here.answer('entity limits set key-1 rpm:1/min --resource gpt-4', { env: { MILLRACE_ACTOR: '' } });
});
afterAll(() => here.close());

describe('millrace audit', () => {
  it('lists what was done, newest first: who, what, before, after', async () => {
    const { code, out } = await here.millrace('audit list --resource gpt-4');

    expect(code).toBe(0);
    expect(steady(out)).toBe(
      lines(
        'at                    actor   action      subject         before     after',
        '2000-01-01T00:00:00Z  alice   limits.set  resource/gpt-4  rpm:5/min  rpm:7/min',
        '2000-01-01T00:00:00Z  tester  limits.set  resource/gpt-4  -          rpm:5/min',
      ),
    );
  });

  it('names the actor from the option, the environment, or the user of the machine', async () => {
    const { events }: Listed = await here.answer('audit list');

    expect(events.map(({ action, subject, actor }) => [action, subject, actor])).toEqual([
      ['limits.set', 'entity/key-1', expect.stringMatching(/^cli:.+/)],
      ['entity.create', 'entity/key-1', 'bob'],
      ['limits.set', 'resource/gpt-4', 'alice'],
      ['limits.set', 'resource/gpt-4', 'tester'],
    ]);
  });

  it('is asked by subject, by time, and a page at a time', async () => {
    const all: Listed = await here.answer('audit list --from 1h');
    const first: Listed = await here.answer('audit list --limit 3');
    const rest: Listed = await here.answer(`audit list --limit 3 --after ${first.next}`);
    const ofEntity: Listed = await here.answer('audit list --entity key-1');
    const bySubject: Listed = await here.answer('audit list --subject entity/key-1');

    expect([...first.events, ...rest.events]).toEqual(all.events);
    expect(rest).not.toHaveProperty('next');
    expect(ofEntity.events).toHaveLength(2);
    expect(bySubject).toEqual(ofEntity);
    const atMs = timeOf(all.events[1]?.id ?? '');
    const [at, next] = [new Date(atMs).toISOString(), new Date(atMs + 1).toISOString()];
    expect(await here.answer(`audit list --from ${at} --to ${next}`)).toEqual({ events: all.events.slice(1, 2) });
    expect(await here.answer(`audit list --from ${at} --to ${at}`)).toEqual({ events: [] });
    expect((await here.millrace('audit list --to 1h')).out).toBe('no events\n');
  });

  it('is a table for spreadsheets with --csv, of the whole range', async () => {
    const { code, out } = await here.millrace('audit list --resource gpt-4 --csv');
    const limits = (refill: number) =>
      `"{""limits"":[{""name"":""rpm"",""refill"":${refill},""periodMs"":60000,""capacity"":${refill},""reserve"":0.02}]}"`;

    expect(code).toBe(0);
    expect(out.replace(/^\w{26},\S+?Z,/gm, 'ID,AT,').split('\r\n')).toEqual([
      'id,at,actor,action,subject,resource,before,after',
      `ID,AT,alice,limits.set,resource/gpt-4,,${limits(5)},${limits(7)}`,
      `ID,AT,tester,limits.set,resource/gpt-4,,,${limits(5)}`,
      '',
    ]);
    expect(await here.millrace('audit list --csv --json')).toMatchObject({ code: 64 });
    expect(await here.millrace('audit list --csv --limit 1')).toMatchObject({ code: 64 });
    expect((await here.millrace('audit list --csv --entity nobody')).out).toBe('id,at,actor,action,subject,resource,before,after\r\n');
  });

  it('tells of namespaces and of the schema without any namespace being there', async () => {
    const { events }: Listed = await here.answer('audit list --subject namespace/default -n nowhere');

    expect(events).toMatchObject([{ action: 'namespace.register', subject: 'namespace/default' }]);
    expect(await here.answer('audit list --subject schema -n nowhere')).toMatchObject({ events: [{ action: 'schema.migrate' }] });
  });

  it('refuses what cannot be asked', async () => {
    expect(await here.millrace('audit list --entity key-1 --resource gpt-4')).toMatchObject({
      code: 64,
      err: 'error: --entity, --resource and --subject exclude each other\nhint: leave all but one of them out\n',
    });
    expect(await here.millrace('audit list --from yesterday --json')).toMatchObject({
      code: 64,
      error: { code: 'VALIDATION', value: 'yesterday' },
    });
    expect(await here.millrace('audit list --subject key-1')).toMatchObject({
      code: 64,
      err: expect.stringMatching(/^error: option "--subject" must be "entity\/<id>", .*"manifest\/<name>", .*, got "key-1"\n$/),
    });
  });

  it('shows by name what is no limit, and says where something is cut', async () => {
    await here.answer('entity create team');
    const long = 'long'.repeat(20);
    await here.answer(`entity create key-2 --parent team --cascade`);
    const whole = await here.millrace('audit list --entity key-2');
    await here.answer(['entity', 'disable', 'key-2', '--reason', long]);
    const cut = await here.millrace('audit list --entity key-2');

    expect(whole).toMatchObject({
      err: '',
      out: expect.stringContaining('entity/key-2  -       parent: team, cascade: yes, ancestors: team\n'),
    });
    expect(cut).toMatchObject({
      err: 'what ends with … is cut: --json shows it whole\n',
      out: expect.stringContaining('reason: longlong'),
    });
  });
});
