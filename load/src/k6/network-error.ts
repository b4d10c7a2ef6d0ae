/** What k6 says of a request without a reply. */
interface NoReply {
  readonly error: string;
  readonly error_code: number;
}

const TIMED_OUT = 1050;
const DIAL_TIMED_OUT = 1211;

/** A request without a reply, with the marks by which `failureFor` tells what that means. */
class NetworkError extends Error {
  override readonly name: string;
  readonly code: string;

  constructor(name: string, code: string, message: string) {
    super(message);
    this.name = name;
    this.code = code;
  }
}

/**
 * Says by k6's number of an error whether the request can have reached DynamoDB: names that are not found, refused
 * connections and handshakes that fail have certainly changed nothing.
 */
export function networkError({ error, error_code: code }: NoReply): Error {
  if (code === TIMED_OUT) return new NetworkError('TimeoutError', '', error);
  if (code === DIAL_TIMED_OUT) return new NetworkError('ConnectTimeoutError', '', error);
  return new NetworkError('NetworkError', isNeverSent(code) ? 'ECONNREFUSED' : 'ECONNRESET', error);
}

function isNeverSent(code: number): boolean {
  const [isUrl, isDns, isDial, isTls] = [code === 1020, within(code, 1100, 1199), within(code, 1210, 1219), within(code, 1300, 1399)];
  return isUrl || isDns || isDial || isTls;
}

function within(code: number, low: number, high: number): boolean {
  return code >= low && code <= high;
}
