#!/usr/bin/env node
// Committed, so that a package manager finds the command to link before anything is built.
import './dist/src/node/main.js';
