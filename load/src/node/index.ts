export { runFromShell } from './from-shell.js';
export { runProgram, type Terminal } from './program.js';
