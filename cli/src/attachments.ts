import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContentPart, ValidationError } from '@svc/core'
import { readRegularFile } from '@svc/core/config'
import { findMediaFault, toMediaPart } from '@svc/core/text'
import { toText } from './read-task.ts'

const MOST_BYTES = 1_048_576
/** More than any image or PDF may have; how many it may is said by its kind. */
const MOST_MEDIA_BYTES = 16_777_216
const MOST_FILES = 100
const IS_GLOB = /[*?[{]/
/** Folders that nobody means with `**`. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/**
 * The files that are handed to the agents, each once, under its name: texts alone as one text, else as the parts of a
 * message. Images (PNG, JPEG, GIF, WebP) and PDFs are known by their bytes, whatever they are called.
 *
 * @param patterns paths and globs
 * @throws ValidationError `validation_failed` for what cannot be read, is neither text, image nor PDF, or too much, and for a
 *   glob without a file
 */
export async function readAttachments(patterns: readonly string[]): Promise<string | ContentPart[] | undefined> {
  const paths = new Set((await Promise.all(patterns.map(expand))).flat())
  if (paths.size > MOST_FILES) throw wrong(`--file names ${paths.size} files; at most ${MOST_FILES} can be handed over`)
  const parts: ContentPart[] = []
  let bytes = 0
  for (const path of paths) {
    const read = readRegularFile(path, MOST_MEDIA_BYTES)
    if (!('bytes' in read)) throw wrong(`--file ${path} ${read.problem}`)
    const { bytes: content } = read
    const media = toMediaPart(content, path)
    if (media !== undefined) {
      const fault = findMediaFault(media)
      if (fault !== undefined) throw wrong(`--file ${path} ${fault}`)
      parts.push(media)
      continue
    }
    bytes += content.length
    if (bytes > MOST_BYTES)
      throw wrong(`--file ${path}: with it there are ${bytes} bytes; at most ${MOST_BYTES} can be handed over`)
    parts.push({ type: 'text', text: `File ${path}:\n${toText(content, `--file ${path}`, wrong)}` })
  }
  if (parts.length === 0) return undefined
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n\n') : parts
}

/** The files of a glob in the order of their paths; a path that is there, or is none, is itself. */
async function expand(pattern: string): Promise<string[]> {
  if (!IS_GLOB.test(pattern) || existsSync(pattern)) return [pattern]
  const names = pattern.split('/')
  const first = names.findIndex((name) => IS_GLOB.test(name))
  const base = names.slice(0, first).join('/') || (pattern.startsWith('/') ? '/' : '.')
  const rest = names.slice(first)
  const depth = rest.includes('**') ? Number.POSITIVE_INFINITY : rest.length
  const { createGlob } = await import('@svc/plugins')
  const matches = createGlob(rest.join('/'))
  const found: string[] = []
  for await (const path of walk(base, '', depth)) if (matches(path)) found.push(join(base, path))
  if (found.length === 0) throw wrong(`--file ${pattern} matches no file`)
  return found.sort()
}

async function* walk(base: string, below: string, depth: number): AsyncGenerator<string> {
  const entries = await readdir(join(base, below), { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isFile()) yield path
    else if (entry.isDirectory() && depth > 1 && !LEFT_OUT.has(entry.name)) yield* walk(base, path, depth - 1)
  }
}

const wrong = (message: string): ValidationError =>
  new ValidationError('validation_failed', message, { errors: [{ path: '/file', message }] })
