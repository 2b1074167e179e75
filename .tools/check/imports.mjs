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
  plan: ['plan', 'contracts', 'text', 'support', '.'],
  runtime: ['runtime', 'plan', 'contracts', 'text', 'support', '.'],
  components: ['plan', 'contracts', 'text', 'support', '.'],
  config: ['config', 'contracts', 'runtime', 'text', 'support', '.'],
  testing: ['testing', 'contracts', 'components', 'runtime', 'text', 'support', '.'],
}
/** Modules beside the folders that anyone inside core may import. */
const CORE_LEAVES = new Set(['errors.ts', 'validate.ts'])
/**
 * Inside runtime, the lowest first: a room imports from lower floors alone, types included. What stands beside the folders
 * is a room of its own.
 */
const RUNTIME_FLOORS = [
  ['standard-schema.ts'],
  ['budget', 'calls/policy', 'hooks', 'journal', 'json-schema.ts', 'observe', 'stores', 'version.ts'],
  ['calls'],
  ['calls/model', 'calls/tools'],
  ['environment.ts', 'pipeline'],
  ['runs/retention'],
  ['runs/service'],
  ['runs/session'],
  ['runs/worker'],
  ['runs/history'],
  ['assembly'],
  ['index.ts'],
]

/** contracts ← runtime, contracts ← components, core ← plugins ← {sdk, server} ← cli; runtime and components never meet. */
export function* checkImports() {
  for (const name of PACKAGES) {
    const src = join(root, name, 'src')
    for (const file of sources(src)) {
      for (const target of importsOf(file)) {
        const wrong = target.startsWith('@svc/')
          ? wrongPackage(name, target)
          : target.startsWith('.')
            ? wrongLayer(name, src, file, target)
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

function wrongLayer(name, src, file, target) {
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
  if (from[0] === 'runtime' && to[0] === 'runtime') return wrongFloor(roomOf(from.slice(1)), roomOf(to.slice(1)))
  if (from[0] === 'components' && to[0] === 'components')
    return from[1] === to[1] ? undefined : 'components never import each other'
  return allowed.includes(to[0]) ? undefined : `${from[0]} must not know ${to[0]}`
}

/** The room of a file of the runtime: its folder, and the one in that for calls and runs. */
function roomOf([first, second, third]) {
  return third !== undefined && (first === 'calls' || first === 'runs') ? `${first}/${second}` : first
}

function wrongFloor(from, to) {
  if (from === to) return undefined
  const [floor, other] = [from, to].map((room) => RUNTIME_FLOORS.findIndex((rooms) => rooms.includes(room)))
  if (floor === -1) return `runtime/${from} has no place on the floors`
  return other < floor ? undefined : `runtime/${from} must not know runtime/${to}`
}
