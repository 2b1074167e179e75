import { dirname, join, relative, resolve, sep } from 'node:path'
import { PACKAGES, root } from '../packages.mjs'
import { importsOf, sources } from './files.mjs'

/** Which of our packages each may import, and inside core which folder may import which. */
const MAY_IMPORT = {
  core: [],
  plugins: ['@svc/core'],
  sdk: ['@svc/core', '@svc/plugins'],
  server: ['@svc/core', '@svc/plugins'],
  cli: ['@svc/core', '@svc/plugins', '@svc/sdk', '@svc/server'],
}
const CORE_LAYERS = {
  support: ['support', '.'],
  contracts: ['contracts', 'support'],
  text: ['text', 'contracts', 'support'],
  runtime: ['runtime', 'contracts', 'text', 'support', '.'],
  components: ['contracts', 'text', 'support', '.'],
  config: ['config', 'contracts', 'runtime', 'text', 'support', '.'],
  testing: ['testing', 'contracts', 'components', 'runtime', 'text', 'support', '.'],
}
/** Modules beside the folders that anyone inside core may import. */
const CORE_LEAVES = new Set(['errors.ts', 'validate.ts'])
/**
 * Inside runtime: whose values a folder may import beside its own; types are free. The modules beside the folders (the
 * environment, the version) are for all of them.
 */
const RUNTIME_LAYERS = {
  stores: [],
  budget: [],
  journal: [],
  observe: [],
  calls: ['budget', 'journal', 'observe'],
  pipeline: ['budget', 'calls', 'journal', 'observe'],
  runs: ['budget', 'calls', 'journal', 'observe', 'pipeline', 'stores'],
  assembly: ['budget', 'calls', 'journal', 'observe', 'pipeline', 'runs', 'stores'],
}
/** Inside runs: what each may import beside its own, the lower ones first. */
const RUN_ROOMS = ['service', 'session', 'worker', 'history']

/** contracts ← runtime, contracts ← components, core ← plugins ← {sdk, server} ← cli; runtime and components never meet. */
export function* checkImports() {
  for (const name of PACKAGES) {
    const src = join(root, name, 'src')
    for (const file of sources(src)) {
      for (const { target, isType } of importsOf(file)) {
        const wrong = target.startsWith('@svc/')
          ? wrongPackage(name, target)
          : target.startsWith('.')
            ? wrongLayer(name, src, file, target, isType)
            : undefined
        if (wrong !== undefined) yield `${relative(root, file)} must not import ${target}: ${wrong}`
      }
    }
  }
}

function wrongPackage(name, target) {
  const imported = target.split('/').slice(0, 2).join('/')
  return MAY_IMPORT[name].includes(imported) ? undefined : `${name} stands below it`
}

function wrongLayer(name, src, file, target, isType) {
  const path = relative(src, resolve(dirname(file), target))
  if (path.startsWith('..')) return 'it lies outside the package'
  if (name !== 'core') return undefined
  const from = relative(src, file).split(sep)
  const to = path.split(sep)
  if (from.length === 1) return undefined // globals.ts and index.ts put the parts together
  const allowed = CORE_LAYERS[from[0]]
  if (allowed === undefined) return `the folder ${from[0]} has no place in the layers`
  if (to.length === 1)
    return allowed.includes('.') || from[0] === 'contracts'
      ? CORE_LEAVES.has(to[0])
        ? undefined
        : 'only errors and validate are for everyone'
      : `${from[0]} imports no module beside it`
  if (from[0] === 'runtime' && to[0] === 'runtime')
    return isType ? undefined : wrongRuntimeFolder(from.slice(1), to.slice(1))
  if (from[0] === 'components' && to[0] === 'components')
    return from[1] === to[1] ? undefined : 'components never import each other'
  return allowed.includes(to[0]) ? undefined : `${from[0]} must not know ${to[0]}`
}

function wrongRuntimeFolder(from, to) {
  if (from.length === 1) return undefined // a module beside the folders is checked by what may import it
  if (to.length === 1) return to[0] === 'index.ts' ? 'it puts the parts together' : undefined
  if (from[0] === 'runs' && to[0] === 'runs') return wrongRunRoom(from[1], to[1])
  if (from[0] === to[0]) return undefined
  const allowed = RUNTIME_LAYERS[from[0]]
  if (allowed === undefined) return `the folder runtime/${from[0]} has no place in the layers`
  return allowed.includes(to[0]) ? undefined : `runtime/${from[0]} must not know runtime/${to[0]}`
}

function wrongRunRoom(from, to) {
  return RUN_ROOMS.indexOf(from) >= RUN_ROOMS.indexOf(to) ? undefined : `runs/${from} must not know runs/${to}`
}
