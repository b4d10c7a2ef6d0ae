import type { AddressInfo } from 'node:net';
import { stubServer } from './stub.js';

const server = stubServer();
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
// The end of the input is the end of the parent: nothing outlives it.
process.stdin.on('end', () => process.exit(0)).resume();
