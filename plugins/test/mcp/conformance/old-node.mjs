/** Runs the conformance suite on Node 20, too, whose `fs` has no `globSync`; the suite needs it for nothing that is used here. */
import { register } from 'node:module'

const HOOKS = `
export const resolve = (name, context, next) =>
  name === 'fs' && context.parentURL?.includes('/conformance/')
    ? { url: 'fs:with-glob', format: 'module', shortCircuit: true }
    : next(name, context)
export const load = (url, context, next) =>
  url === 'fs:with-glob'
    ? {
        format: 'module',
        shortCircuit: true,
        source: "import fs from 'node:fs'; export * from 'node:fs'; export default fs; export const globSync = fs.globSync",
      }
    : next(url, context)
`
register(`data:text/javascript,${encodeURIComponent(HOOKS)}`)
