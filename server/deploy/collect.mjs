/**
 * Copies what svc needs to run from a built repository into a folder: `node server/deploy/collect.mjs /srv/svc`.
 *
 * Of each package that svc loads there are the files that Node can load, its manifest and its licence. Types, source maps,
 * tests and documentation stay behind, and so do compilers: svc reads drop-ins in TypeScript with jiti, which has its own.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toPublished } from '../../.tools/pack-manifest.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Optional packages of svc that a server has: PostgreSQL, tools of MCP servers, and protocols that it serves. */
const OPTIONAL = [
  '@ag-ui/encoder',
  '@dbos-inc/dbos-sdk',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  'pg',
]
const OWN = ['core', 'plugins', 'sdk', 'server', 'cli']

const NOT_RUN =
  /\.(?:[cm]?ts|map|flow|tsbuildinfo|markdown)$|(?:^|\/)(?:readme|changelog|history|contributing|security)[^/]*\.md$/i
/** Right in a package; deeper, the same names are modules of some. */
const NOT_RUN_FOLDER = /^(?:tests?|__tests__|docs?|examples?|bench(?:marks?)?|coverage|man|\.github)$/

const target = process.argv[2]
if (target === undefined) throw new Error('name the folder to copy into: node server/deploy/collect.mjs <folder>')

const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** The folder of a package as Node finds it from another one. */
function findPackage(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    if (existsSync(join(found, 'package.json'))) return found
    if (folder === dirname(folder)) return undefined
  }
}

/** Prebuilt libraries come for two C libraries, and npm cannot tell them apart; Debian's is not musl. */
const isOtherLibrary = (name) => name.endsWith('-musl') || name.endsWith('-musleabihf')

const own = new Set(OWN.map((name) => join(root, name)))
const collected = new Set()

function collect(folder) {
  if (collected.has(folder)) return
  collected.add(folder)
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = own.has(folder) ? toPublished(readManifest(folder)) : readManifest(folder)
  const isOptional = (name) => name in optionalDependencies || peerDependenciesMeta[name]?.optional === true
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    if (peerDependenciesMeta[name]?.optional === true || isOtherLibrary(name) || name.startsWith('@svc/')) continue
    const found = findPackage(name, realpathSync(folder))
    if (found !== undefined) collect(found)
    else if (!isOptional(name)) throw new Error(`${name} is not installed, which ${folder} needs: run npm ci`)
  }
}

function copy(folder) {
  const { main, module, exports, bin } = readManifest(folder)
  const runsSources = JSON.stringify([main, module, exports, bin]).includes('src/')
  const isRun = (path) => {
    const inside = relative(folder, path)
    const [first = ''] = inside.split('/')
    if (first === 'node_modules' || NOT_RUN_FOLDER.test(first)) return false
    return !NOT_RUN.test(inside) && (first !== 'src' || runsSources)
  }
  cpSync(folder, join(target, relative(root, folder)), { recursive: true, filter: isRun })
}

for (const name of OWN) collect(join(root, name))
for (const name of OPTIONAL) {
  const found = findPackage(name, root)
  if (found === undefined) throw new Error(`${name} is not installed: run npm ci`)
  collect(found)
}
for (const folder of collected) if (!own.has(folder)) copy(folder)

mkdirSync(join(target, 'node_modules', '@svc'), { recursive: true })
for (const name of OWN) {
  for (const part of ['package.json', 'LICENSE', 'dist', ...(name === 'cli' ? ['bin'] : [])])
    cpSync(join(root, name, part), join(target, name, part), { recursive: true, filter: (path) => !NOT_RUN.test(path) })
  symlinkSync(`../../${name}`, join(target, 'node_modules', '@svc', name))
}
mkdirSync(join(target, 'node_modules', '.bin'), { recursive: true })
symlinkSync('../@svc/cli/bin/svc.js', join(target, 'node_modules', '.bin', 'svc'))
cpSync(join(root, 'server', 'deploy', 'healthcheck.mjs'), join(target, 'healthcheck.mjs'))
