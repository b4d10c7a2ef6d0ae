/** What an error reads of the reply that it came in. */
interface ReplyHead {
  readonly status: number;
  /** The header `date`; undefined if there is none. */
  readonly date: string | undefined;
}

/** An error with the marks that `failureFor` reads: it is shaped as an error of the SDK, so that both fail alike. */
export class WireError extends Error {
  override readonly name: string;
  readonly $metadata?: { readonly httpStatusCode: number };
  /** The header `date` of the reply that it came with. */
  readonly date: string | undefined;
  /** Where it was throttled: what DynamoDB says about which part of the table carries no more. */
  readonly ThrottlingReasons?: readonly { readonly reason?: unknown }[];

  constructor(
    name: string,
    message: string,
    options: {
      readonly status?: number;
      readonly date?: string | undefined;
      readonly cause?: unknown;
      readonly throttlingReasons?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = name;
    this.date = options.date;
    if (Array.isArray(options.throttlingReasons)) this.ThrottlingReasons = options.throttlingReasons;
    if (options.status !== undefined) this.$metadata = { httpStatusCode: options.status };
  }
}

/** What DynamoDB says in the body of an error. */
interface ErrorBody {
  readonly __type?: unknown;
  readonly message?: unknown;
  readonly Message?: unknown;
  readonly ThrottlingReasons?: unknown;
  readonly throttlingReasons?: unknown;
}

/** The error that a reply is which is no success. Its body may be anything: a proxy on the way may have written it. */
export function errorOf({ status, date }: ReplyHead, body: unknown): WireError {
  const {
    __type: type,
    message,
    Message,
    ThrottlingReasons,
    throttlingReasons,
  } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
  const said = message ?? Message;
  return new WireError(typeName(type), typeof said === 'string' ? said : `DynamoDB answered with status ${status}`, {
    status,
    date,
    throttlingReasons: throttlingReasons ?? ThrottlingReasons,
  });
}

/** The name in `com.amazonaws.dynamodb.v20120810#ThrottlingException`, with or without what comes before it or after a colon. */
function typeName(type: unknown): string {
  const name = typeof type === 'string' ? type.slice(type.indexOf('#') + 1).split(/[,:]/, 1)[0] : '';
  return name === undefined || name === '' ? 'UnknownError' : name;
}
