import type { AddressInfo } from 'node:net';
import { delayProxy } from './delay-proxy.js';

const [host = '127.0.0.1', port = '8000', roundTripMs = '0'] = process.argv.slice(2);
const server = delayProxy({ host, port: Number(port) }, Number(roundTripMs));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
// The end of the input is the end of the parent: nothing outlives it.
process.stdin.on('end', () => process.exit(0)).resume();
