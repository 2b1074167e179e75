import { join, sep } from 'node:path'
import { ConfigError, type ErrorCode, SvcError } from '../../errors.ts'
import { CODE_ENDINGS, kindOf } from '../find/paths.ts'
import { MAX_CODE_BYTES, type ReadFile, readBytes } from '../read/read-data.ts'
import { type Entries, findChanged, MissingModule, ModuleGraph } from './module-graph.ts'
import { toPath } from './resolve-module.ts'
import { SHARED_PACKAGES } from './shared-packages.ts'

const LOAD_TIMEOUT_MS = 60_000 // on a busy machine the packages of a file need many seconds

/** How code files are loaded. */
export interface ModuleLoaderOptions {
  /** Folder of compiled code. */
  cacheDir: string
  /** The record of trust that covers what is loaded; left out, whatever is imported is loaded. */
  record?: { folder: string; read: ReadFile } | undefined
  /** Packages of ours that the caller has and this package cannot see, such as `@svc/sdk`, or that few modules want. */
  packages?: Readonly<Record<string, () => Promise<unknown>>> | undefined
  /** Modules that were loaded already; what is loaded is added. Default those of this process. */
  modules?: LoadedModules | undefined
}

/** Modules with their state, by the folder whose record covers them; those that need no record are under ''. */
export type LoadedModules = Map<string, Entries>

/** Loads TypeScript and JavaScript files from any folder. */
export interface ModuleLoader {
  /** The default export of a file; of a CommonJS file, what it exports. */
  loadFile(file: string, code?: ErrorCode): Promise<unknown>
  /** The default export of what a config names: a path from `folder`, or a package as seen from there. */
  loadNamed(name: string, folder: string): Promise<{ value: unknown; source: string }>
}

/** Those of this process. */
const own: LoadedModules = new Map()

function entriesOf(modules: LoadedModules, folder: string): Entries {
  const entries: Entries = modules.get(folder) ?? new Map()
  modules.set(folder, entries)
  if (findChanged(entries) !== undefined) entries.clear() // which of them imported it is not known
  return entries
}

/** Makes a loader. Nothing is imported before the first file is loaded. */
export function createModuleLoader({
  cacheDir,
  record,
  packages = {},
  modules = own,
}: ModuleLoaderOptions): ModuleLoader {
  let graph: Promise<ModuleGraph> | undefined

  async function makeGraph(): Promise<ModuleGraph> {
    const source = { cacheDir, read: record?.read, shared: await sharedModules(packages) }
    return new ModuleGraph(source, entriesOf(modules, record?.folder ?? ''))
  }

  async function load(name: string, from: string, file: string, code: ErrorCode): Promise<unknown> {
    graph ??= makeGraph()
    try {
      return toDefault(await withinTime((await graph).load(name, from), file))
    } catch (thrown) {
      throw toLoadError(thrown, file, code)
    }
  }

  return {
    async loadFile(file, code = 'config_invalid') {
      readBytes(file, MAX_CODE_BYTES) // says what is wrong with a file that cannot be read, before anything else does
      return load(file, file, file, code)
    },
    async loadNamed(name, folder) {
      const path = toPath(name, folder)
      const from = join(folder, 'svc.config.ts')
      const file = path === undefined ? undefined : findModule(path)
      if (path !== undefined && file === undefined)
        throw new ConfigError('plugin_load_failed', `${path}: there is no such module`)
      const source = file ?? name
      return { value: await load(source, from, source, 'plugin_load_failed'), source }
    },
  }
}

function findModule(path: string): string | undefined {
  const inFolder = kindOf(path) === 'folder' ? CODE_ENDINGS.map((ending) => `${path}${sep}index${ending}`) : []
  return [path, ...CODE_ENDINGS.map((ending) => path + ending), ...inFolder].find((guess) => kindOf(guess) === 'file')
}

async function sharedModules(packages: NonNullable<ModuleLoaderOptions['packages']>): Promise<Map<string, unknown>> {
  const found = await Promise.all(
    [...new Set([...SHARED_PACKAGES, ...Object.keys(packages)])].map(async (name) => {
      // By name: this package does not depend on those above it.
      const module: unknown = await (packages[name]?.() ?? import(name).catch(() => undefined))
      return module === undefined ? [] : ([[name, module]] as const)
    }),
  )
  return new Map(found.flat())
}

function toDefault(module: unknown): unknown {
  if (typeof module !== 'object' || module === null) return module
  if ('default' in module && module.default !== undefined) return module.default
  return Object.prototype.toString.call(module) === '[object Module]' || '__esModule' in module ? undefined : module
}

async function withinTime<Result>(loading: Promise<Result>, file: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ConfigError('plugin_load_failed', `${file}: was not loaded within ${LOAD_TIMEOUT_MS / 1000} s`)),
      LOAD_TIMEOUT_MS,
    )
  })
  try {
    return await Promise.race([loading, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** What a module threw, as one sentence with file and line and without a stack. */
function toLoadError(thrown: unknown, file: string, code: ErrorCode): SvcError {
  if (thrown instanceof ConfigError) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const parse = /^ParseError: ([^\n]*)\n\s*(\S[^\n]*:\d+:\d+)/.exec(message)
  const install = thrown instanceof MissingModule ? thrown.missing : undefined
  const options = { cause: thrown, details: { file, ...(install !== undefined && { install }) } }
  if (parse !== null) return new ConfigError(code, `${parse[2]}: ${parse[1]?.trim()}`, options)
  const isMissing = thrown instanceof MissingModule || codeIs(thrown, 'MODULE_NOT_FOUND')
  const place =
    thrown instanceof MissingModule ? thrown.from : ((thrown instanceof Error ? placeOf(thrown) : undefined) ?? file)
  const [first = ''] = message.split('\n')
  const missing = SvcError.isInstance(thrown) || isMissing ? '' : 'failed while loading: '
  return new ConfigError(code, `${place}: ${missing}${first}`, options)
}

const codeIs = (thrown: unknown, code: string): boolean =>
  thrown instanceof Error && 'code' in thrown && String(thrown.code).endsWith(code)

/** The first line of a stack that lies in the person's own code: packages and svc itself are passed over. */
function placeOf(error: Error): string | undefined {
  return (error.stack ?? '')
    .split('\n')
    .flatMap((line) => /(?:\(|at |async )(\/[^()]{1,1000}:\d+):\d+\)?$/.exec(line)?.[1] ?? [])
    .find((place) => !place.includes('/node_modules/'))
}
