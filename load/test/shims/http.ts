interface Params {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeout?: string;
}

interface Reply {
  readonly status: number;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly error: string;
  readonly error_code: number;
}

const CODES: Readonly<Record<string, number>> = { ECONNREFUSED: 1212, ENOTFOUND: 1101, ECONNRESET: 1220 };

/** k6's HTTP by Node's: what is no reply has status 0, and k6's number for what went wrong. */
async function asyncRequest(method: string, url: string, body: string | null, params: Params = {}): Promise<Reply> {
  try {
    const signal = AbortSignal.timeout(Number.parseInt(params.timeout ?? '60000', 10));
    const response = await fetch(url, { method, body, headers: params.headers ?? {}, signal });
    const headers = Object.fromEntries([...response.headers].map(([name, value]) => [name === 'date' ? 'Date' : name, value]));
    return { status: response.status, body: await response.text(), headers, error: '', error_code: 0 };
  } catch (error) {
    const { name, message, cause } = error as Error & { readonly cause?: { readonly code?: string } };
    const code = name === 'TimeoutError' ? 1050 : (CODES[cause?.code ?? ''] ?? 1000);
    return { status: 0, body: null, headers: {}, error: message, error_code: code };
  }
}

const http = { asyncRequest, expectedStatuses: (...statuses: number[]) => statuses };

// biome-ignore lint/style/noDefaultExport: k6's modules have one
export default http;
