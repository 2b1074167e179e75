import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const PLAIN = fileURLToPath(new URL('plain.mjs', import.meta.url))

/** A server by hand that does as it is told: see `plain.mjs`. */
export const plain = (how: object = {}): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [PLAIN, JSON.stringify(how)],
})

/** One of the reference servers, such as `memory`. */
export const reference = (name: string, ...args: string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
})
