import { parseArguments, USAGE } from './arguments.js';
import { progressOn } from './progress.js';
import { renderReport } from './render.js';
import { runDemo } from './run-demo.js';
import { styleFor } from './style.js';

const INTERRUPTED = 130;

async function main(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args);
  if (parsed.kind === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    process.stderr.write(`demo: ${parsed.message}\n\n${USAGE}`);
    return 2;
  }

  const { seconds, json } = parsed;
  const stream = json ? process.stderr : process.stdout;
  const style = styleFor(stream, process.env);
  const interruption = new AbortController();
  // Once: whoever asks a second time does not want to wait for the cleaning up. The engine ends with this process anyway.
  process.once('SIGINT', () => interruption.abort());
  process.once('SIGTERM', () => interruption.abort());

  stream.write(`${style.bold('Millrace')}: an LLM gateway that limits requests and tokens of keys, projects and their organisation\n\n`);
  try {
    const report = await runDemo({ seconds, progress: progressOn(stream, style), signal: interruption.signal });
    process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : `\n${renderReport(report, style)}`);
    return report.ok ? 0 : 1;
  } catch (error) {
    if (error !== interruption.signal.reason) throw error;
    stream.write('interrupted: the table is deleted, and all that was started has ended\n');
    return INTERRUPTED;
  }
}

/** What went wrong; where cleaning up then failed as well, both. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { suppressed, error: later } = error as { readonly suppressed?: unknown; readonly error?: unknown };
  return suppressed === undefined ? error.message : `${messageOf(suppressed)}; and then ${messageOf(later)}`;
}

// A service should hear that the SDK will want a newer Node; who looks at a demo need not.
Object.assign(process.env, { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' });
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`demo: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
