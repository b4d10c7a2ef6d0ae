export { LimiterTable } from './limiter-table.js';
