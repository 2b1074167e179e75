import { statSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Jiti } from 'jiti'
import { ConfigError, type ErrorCode, SvcError } from '../errors.ts'
import { CODE_ENDINGS, kindOf } from './paths.ts'
import { MAX_CODE_BYTES, readBytes } from './read-data.ts'

const LOAD_TIMEOUT_MS = 10_000

/** Packages that config code shares with the process: one copy, so that classes and registries are the same ones. */
const SHARED = ['@svc/core', '@svc/core/testing', '@svc/plugins', '@svc/sdk'] as const

/** How code files are loaded. */
export interface ModuleLoaderOptions {
  /** Folder of compiled code. */
  cacheDir: string
  /** Called before a file is loaded; throws when it may not be. */
  guard?: (file: string) => void
  /** Packages of ours that the caller has and this package cannot see, such as `@svc/sdk`. */
  packages?: Readonly<Record<string, () => Promise<unknown>>>
}

/** Loads TypeScript and JavaScript files from any folder. */
export interface ModuleLoader {
  /** The default export of a file; of a CommonJS file, what it exports. */
  loadFile(file: string, code?: ErrorCode): Promise<unknown>
  /** The default export of what a config names: a path from `folder`, or a package as seen from there. */
  loadNamed(name: string, folder: string): Promise<{ value: unknown; source: string }>
  /** Files that were loaded in this process, with everything that they imported by path. */
  loaded(): string[]
}

/** Files in the process's module cache that were put there by these loaders, with a stamp of what was on disk then. */
const seen = new Map<string, string>()

function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats === undefined ? 'gone' : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`
}

/** When a file has changed on disk, all are forgotten: which of them imported it is not known. */
function forgetChanged(cache: Jiti['cache']): void {
  if ([...seen].every(([file, stamp]) => stamp === stampOf(file))) return
  for (const file of seen.keys()) delete cache[file]
  seen.clear()
}

/** Makes a loader. Nothing is imported before the first file is loaded. */
export function createModuleLoader({ cacheDir, guard = () => {}, packages = {} }: ModuleLoaderOptions): ModuleLoader {
  const instances = new Map<string, Promise<Jiti>>()

  async function jitiFor(folder: string): Promise<Jiti> {
    const existing = instances.get(folder)
    if (existing !== undefined) return existing
    const made = (async () => {
      const [{ createJiti }, virtualModules] = await Promise.all([import('jiti'), sharedModules(packages)])
      const jiti = createJiti(join(folder, 'svc.config.ts'), {
        fsCache: cacheDir,
        virtualModules,
        interopDefault: true,
      })
      if (instances.size === 1) forgetChanged(jiti.cache)
      return jiti
    })()
    instances.set(folder, made)
    return made
  }

  async function load(id: string, folder: string, file: string, code: ErrorCode): Promise<unknown> {
    const jiti = await jitiFor(folder)
    const before = new Set(Object.keys(jiti.cache))
    try {
      return toDefault(await withinTime(jiti.import(id), file))
    } catch (thrown) {
      throw toLoadError(thrown, file, code)
    } finally {
      for (const path of Object.keys(jiti.cache)) {
        if (!before.has(path)) seen.set(path, stampOf(path))
      }
    }
  }

  return {
    async loadFile(file, code = 'config_invalid') {
      guard(file)
      readBytes(file, MAX_CODE_BYTES) // says what is wrong with a file that cannot be read before the loader guesses at it
      return load(file, resolve(file, '..'), file, code)
    },
    async loadNamed(name, folder) {
      const path = toPath(name, folder)
      if (path === undefined) return { value: await load(name, folder, name, 'plugin_load_failed'), source: name }
      const file = findModule(path)
      if (file === undefined) throw new ConfigError('plugin_load_failed', `${path}: there is no such module`)
      guard(file)
      return { value: await load(file, folder, file, 'plugin_load_failed'), source: file }
    },
    loaded: () => [...seen.keys()],
  }
}

/** What a name leads to when it is a path; `undefined` for a package. */
function toPath(name: string, folder: string): string | undefined {
  if (name.startsWith('file:')) return fileURLToPath(name)
  return /^\.{1,2}(\/|\\|$)|^\/|^[A-Za-z]:[\\/]/.test(name) ? resolve(folder, name) : undefined
}

function findModule(path: string): string | undefined {
  const inFolder = kindOf(path) === 'folder' ? CODE_ENDINGS.map((ending) => `${path}${sep}index${ending}`) : []
  return [path, ...CODE_ENDINGS.map((ending) => path + ending), ...inFolder].find((guess) => kindOf(guess) === 'file')
}

async function sharedModules(packages: NonNullable<ModuleLoaderOptions['packages']>): Promise<Record<string, unknown>> {
  const found = await Promise.all(
    SHARED.map(async (name) => {
      const own: string = name // imported by name: this package does not depend on those above it
      const module: unknown = await (packages[name]?.() ?? import(own).catch(() => undefined))
      return module === undefined ? [] : ([[name, module]] as const)
    }),
  )
  return Object.fromEntries(found.flat())
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
  const parse = /^ParseError: ([^\n]*)\n\s*([^\n]+:\d+:\d+)/.exec(message)
  const options = { cause: thrown, details: { file } }
  if (parse !== null) return new ConfigError(code, `${parse[2]}: ${parse[1]?.trim()}`, options)
  const place = (thrown instanceof Error ? placeOf(thrown) : undefined) ?? file
  const [first = ''] = message.split('\n')
  const missing = SvcError.isInstance(thrown) ? '' : codeIs(thrown, 'MODULE_NOT_FOUND') ? '' : 'failed while loading: '
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
