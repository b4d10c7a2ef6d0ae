export { FakeRuntime } from './fake-runtime.js';
export { MemoryStore } from './memory-store.js';
