import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContentPart, ValidationError } from '@svc/core'
import { readRegularFile } from '@svc/core/config'
import { Attachments, MOST_ATTACHED_BYTES, MOST_ATTACHMENTS } from '@svc/core/text'
import { wrong } from '../line/wrong.ts'

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
  if (paths.size > MOST_ATTACHMENTS)
    throw refuse(`--file names ${paths.size} files; at most ${MOST_ATTACHMENTS} can be handed over`)
  const attachments = new Attachments()
  for (const path of paths) {
    const read = readRegularFile(path, MOST_ATTACHED_BYTES)
    const problem = 'bytes' in read ? attachments.add(path, read.bytes) : read.problem
    if (problem !== undefined) throw refuse(`--file ${path} ${problem}`)
  }
  return attachments.after(undefined)
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
  if (found.length === 0) throw refuse(`--file ${pattern} matches no file`)
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

const refuse = (message: string): ValidationError => wrong(message, 'file')
