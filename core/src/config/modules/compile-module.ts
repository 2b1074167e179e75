import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import type { createJiti } from 'jiti'
import { isOwn } from '../../support/own-files.ts'
import { sha256 } from '../read/read-data.ts'

/** In a bundle of CommonJS a module has no URL. */
const require = createRequire(import.meta.url ?? __filename)

/** What compiled code depends on beside its text; a new number forgets all that was compiled. */
const VERSION = 1

/** Only a text with one of these words can need more than Node's function for CommonJS. */
const NEEDS_COMPILER = /\b(?:import|export|await)\b/

/**
 * The text of a module as the body of a function of `exports, require, module, __filename, __dirname, jitiImport,
 * jitiESMResolve`: what TypeScript and ES modules say with `import` becomes calls of these.
 *
 * @param cacheDir where compiled code is kept for the next time; left alone where somebody else could have written to it
 * @param isAsync whether the function may await; a module that is required may not
 */
export function compileModule(text: string, file: string, cacheDir: string, isAsync: boolean): string {
  const isTypeScript = /\.[cm]?ts$/.test(file)
  if (!isTypeScript && extname(file) !== '.mjs' && !NEEDS_COMPILER.test(text)) return text.replace(/^#!/, '//')
  const key = `/* ${sha256(Buffer.from(`${VERSION} ${text}`))} */ `
  const name = `${basename(file)}.${sha256(Buffer.from(`${isAsync} ${file}`)).slice(0, 24)}.js`
  const cached = openCache(cacheDir) ? readOwn(join(cacheDir, name)) : undefined
  if (cached?.startsWith(key)) return cached
  // Loaded for the first text that is not compiled yet: it takes some 30 ms, and its compiler 150 ms.
  const jiti: { createJiti: typeof createJiti } = require('jiti')
  const compiler = jiti.createJiti(file, { fsCache: false })
  const code = compiler.transform({
    source: text,
    filename: file,
    ts: isTypeScript,
    async: isAsync,
    interopDefault: true,
  })
  if (!code.includes('__JITI_ERROR__')) writeOwn(join(cacheDir, name), key + code)
  return key + code
}

/** Makes the folder for its owner alone. @returns whether it is so: what others may write to would run as this person's */
function openCache(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Who may write to the folder above could put another one in its place.
    return [folder, dirname(folder)]
      .map((path) => lstatSync(path))
      .every((stats) => stats.isDirectory() && isOwn(stats))
  } catch {
    return false // nothing is kept then
  }
}

function readOwn(file: string): string | undefined {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      return isOwn(fstatSync(descriptor)) ? readFileSync(descriptor, 'utf8') : undefined
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

/** Replaces a file of the cache for its owner alone. @returns whether it could */
function writeOwn(file: string, content: string | Uint8Array): boolean {
  if (!openCache(dirname(file))) return false
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx' })
    renameSync(draft, file)
    return true
  } catch {
    return false
  }
}

/**
 * A copy of a native module that holds exactly these bytes: the system loads such a module from a file and no other way.
 *
 * @throws Error where no copy can be kept
 */
export function keepNative(bytes: Uint8Array, cacheDir: string): string {
  const file = join(cacheDir, `${sha256(bytes)}.node`)
  if (!writeOwn(file, bytes))
    throw new Error(`${cacheDir} cannot be written for its owner alone, so no native module is loaded`)
  return file
}
