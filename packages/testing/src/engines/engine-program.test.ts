import { describe, expect, it } from 'vitest';
import { engineProgram } from './engine-program.js';

describe('the program of an engine', () => {
  it('starts DynamoDB Local in memory, without telemetry, with the natives beside its jar', () => {
    const program = engineProgram({ name: 'dynamodb-local', path: '/local/DynamoDBLocal.jar' }, { port: 8123, env: {} });

    expect([program.command, ...program.args].join(' ')).toBe(
      'java -Djava.library.path=/local/DynamoDBLocal_lib -jar /local/DynamoDBLocal.jar' +
        ' -inMemory -sharedDb -disableTelemetry -port 8123',
    );
  });

  it('refuses a database file for DynamoDB Local', () => {
    const start = () => engineProgram({ name: 'dynamodb-local', path: '/l.jar' }, { port: 1, dbPath: '/db', env: {} });

    expect(start).toThrow('dynamodb-local is started in memory only, got dbPath /db');
  });

  it('hands on the environment without the settings of another ExtendDB or of Node', () => {
    const env = { PATH: '/bin', NODE_OPTIONS: '--inspect', EXTENDDB__SERVER__TLS: 'on' };

    const program = engineProgram({ name: 'extenddb', path: '/extenddb' }, { port: 8123, env });

    expect(program.env).toEqual({
      PATH: '/bin',
      EXTENDDB__SERVER__PORT: '8123',
      EXTENDDB__STORAGE__SQLITE__PATH: ':memory:',
    });
  });
});
