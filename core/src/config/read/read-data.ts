/// <reference path="./js-yaml.d.ts" />
import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { FieldError } from '../../errors.ts'
import { toPointer } from '../../text/json-pointer.ts'
import { invalid } from './config-error.ts'
import { readRegularFile } from './read-regular-file.ts'

/** No config file needs more; a larger one is refused before it is read. */
export const MAX_FILE_BYTES = 1 << 20

/** Code may be bundled, so it may be larger. */
export const MAX_CODE_BYTES = 8 << 20

const MAX_NATIVE_BYTES = 64 << 20

/** How large a module may be: a native one is a whole library. */
export const mostBytesOf = (file: string): number => (extname(file) === '.node' ? MAX_NATIVE_BYTES : MAX_CODE_BYTES)

const MAX_VALUES = 100_000
const MAX_DEPTH = 64
const FORBIDDEN_KEYS = new Set(['__proto__'])

/**
 * Reads a regular file. Devices, pipes and folders are refused without being read from.
 *
 * @throws ConfigError `config_invalid` when it cannot be read, is no regular file or is too large
 */
export function readBytes(file: string, maxBytes = MAX_FILE_BYTES): Buffer {
  const read = readRegularFile(file, maxBytes)
  if ('bytes' in read) return read.bytes
  throw invalid(file, read.problem, undefined, read.cause)
}

/** Reads a file whole: `readBytes`, or what a record of trust lets through. */
export type ReadFile = (file: string, maxBytes?: number) => Buffer

/** SHA-256 of bytes, in hexadecimal. */
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/**
 * Bytes as text, without a byte order mark.
 *
 * @throws ConfigError `config_invalid` when they are not UTF-8
 */
export function toText(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (thrown) {
    throw invalid(file, 'is not UTF-8 text', undefined, thrown)
  }
}

/**
 * Reads a JSON or YAML text (by the file's ending; without one it is YAML) as plain data.
 *
 * Anchors and aliases of YAML count each time they are used, so a text that unfolds into millions of values is refused
 * before anything visits it. Keys that would reach a prototype are refused.
 *
 * @returns `undefined` for a text that says nothing
 * @throws ConfigError `config_invalid` with file, line and column, or with a pointer
 */
export async function parseData(text: string, file: string): Promise<unknown> {
  const value = extname(file) === '.json' ? await parseJson(text, file) : await parseYaml(text, file)
  checkSize(value, file)
  return value
}

async function parseJson(text: string, file: string): Promise<unknown> {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    // After the cause comes a part of the text, or the position.
    const [cause = ''] = message.split(/(?:, \.\.\.|, ")| in JSON at position| is not valid JSON/)
    const place = await placeOf(text, message)
    throw invalid(file, `is not JSON: ${cause.replaceAll('\n', '\\n')}${place}`)
  }
}

/** Where JSON is wrong, by what Node says of it; it does not say where a token is that it does not expect. */
async function placeOf(text: string, message: string): Promise<string> {
  const said = /at position (\d{1,9})/.exec(message)?.[1]
  if (said === undefined && !/end of JSON/.test(message)) {
    const { parse } = await import('@humanwhocodes/momoa')
    try {
      parse(text, { mode: 'json' })
      return ''
    } catch (thrown) {
      const { line, column } = thrown as { line?: number; column?: number }
      return line === undefined ? '' : ` (line ${line}, column ${column})`
    }
  }
  const before = (said === undefined ? text.replace(/(?<![\r\n])[\r\n]+$/, '') : text.slice(0, Number(said))).split(
    '\n',
  )
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`
}

async function parseYaml(text: string, file: string): Promise<unknown> {
  const { load, CORE_SCHEMA, YAMLException } = await import('js-yaml')
  try {
    return load(text, { schema: CORE_SCHEMA, filename: file }) ?? undefined
  } catch (thrown) {
    if (!(thrown instanceof YAMLException)) throw invalid(file, 'is not YAML', undefined, thrown)
    const place = thrown.mark === undefined ? '' : ` (line ${thrown.mark.line + 1}, column ${thrown.mark.column + 1})`
    throw invalid(file, `is not YAML: ${thrown.reason}${place}`)
  }
}

function checkSize(root: unknown, file: string): void {
  const open: { value: unknown; pointer: string; depth: number }[] = [{ value: root, pointer: '', depth: 0 }]
  for (let seen = 0, next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, pointer, depth } = next
    if (typeof value !== 'object' || value === null) continue
    const keys = Object.keys(value)
    seen += keys.length
    if (seen > MAX_VALUES) throw invalid(file, `unfolds into more than ${MAX_VALUES} values`)
    if (depth >= MAX_DEPTH) throw invalid(file, `is nested deeper than ${MAX_DEPTH} levels`)
    for (const key of keys) {
      if (FORBIDDEN_KEYS.has(key)) {
        const errors: FieldError[] = [{ path: toPointer(pointer, key), message: 'is not allowed as a key' }]
        throw invalid(file, `${toPointer(pointer, key)} is not allowed as a key`, errors)
      }
      open.push({ value: (value as Record<string, unknown>)[key], pointer: toPointer(pointer, key), depth: depth + 1 })
    }
  }
}

/** Whether a value is an object of named fields: no list, no function, no instance of a class. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // A config evaluated in another realm has another Object.prototype; its own prototype is null all the same.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
