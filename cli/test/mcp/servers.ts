import { createRequire } from 'node:module'

/** One of the reference servers, such as `memory`, as its package is started. */
export const reference = (name: string, ...args: string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
})
