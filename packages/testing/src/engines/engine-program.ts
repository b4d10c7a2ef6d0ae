import { dirname, join } from 'node:path';
import type { FoundEngine } from './find-engine.js';
import type { EngineCredentials } from './local-engine.js';
import type { Program } from './supervised-process.js';

/** How an engine is started on a port of the loopback. */
export interface EngineProgramOptions {
  readonly port: number;
  /** An absolute path; in memory without it. */
  readonly dbPath?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** The command line and environment that start `engine`. */
export function engineProgram(engine: FoundEngine, options: EngineProgramOptions): Program {
  const port = String(options.port);
  const env = quietEnv(options.env);
  switch (engine.name) {
    case 'dynoxide': {
      const args = ['serve', '--host', '127.0.0.1', '--port', port];
      if (options.dbPath !== undefined) args.push('--db-path', options.dbPath);
      return { command: engine.path, args, env };
    }
    case 'extenddb': {
      const storage = { EXTENDDB__STORAGE__SQLITE__PATH: options.dbPath ?? ':memory:' };
      return {
        command: engine.path,
        args: ['serve', '--foreground'],
        env: { ...env, EXTENDDB__SERVER__PORT: port, ...storage },
      };
    }
    case 'dynamodb-local': {
      if (options.dbPath !== undefined) {
        throw new Error(`dynamodb-local is started in memory only, got dbPath ${options.dbPath}: leave it out, or take dynoxide`);
      }
      const natives = `-Djava.library.path=${join(dirname(engine.path), 'DynamoDBLocal_lib')}`;
      const flags = ['-inMemory', '-sharedDb', '-disableTelemetry', '-port', port];
      return { command: 'java', args: [natives, '-jar', engine.path, ...flags], env };
    }
  }
}

/** The keys an engine takes: ExtendDB knows AWS's documented example alone, the others take any. */
export function engineCredentials(engine: FoundEngine): EngineCredentials {
  if (engine.name === 'extenddb') {
    return { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
  }
  return { accessKeyId: 'millrace', secretAccessKey: 'millrace' };
}

/** Without what would change the engine's settings, or the supervisor, which is a Node too, behind our back. */
function quietEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isLoud = (name: string): boolean => /^(NODE_.*|EXTENDDB__.*)$/i.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isLoud(name)));
}
