import { fstatSync } from 'node:fs'
import type { ValidationError } from '@svc/core'
import { toUtf8 } from '@svc/core/text'
import { wrong } from '../line/wrong.ts'

const MAX_CHARS = 200_000
const MAX_BYTES = 4 * MAX_CHARS

/**
 * The task as a text: from the words, or from standard input for `-` and where there are no words. Words that nobody
 * quoted are one task together. At a terminal nothing is waited for that nobody asked to type.
 *
 * @param what what it is called where it is wrong
 * @throws ValidationError `validation_failed` when it is empty, too long, or not text
 */
export async function readTask(words: readonly string[], what = 'task'): Promise<string> {
  const [first] = words
  if (first === undefined && process.stdin.isTTY)
    throw refuse(what, 'is missing: say in plain language what is to be done, or - to read it from standard input')
  if (words.length > 1 && words.includes('-')) throw refuse(what, 'is given twice: - reads it from standard input')
  const isRead = first === undefined || first === '-'
  const text = isRead ? await readInput(what) : words.join(' ')
  const isEmpty = text.trim() === ''
  if (first === undefined && isEmpty)
    throw refuse(
      what,
      'is missing: standard input is empty; say it in words, as in svc run "<task>", or pipe it to svc run',
    )
  if (isEmpty)
    throw refuse(
      what,
      `is empty: ${isRead ? 'standard input' : `the ${what}`} must say in plain language what is to be done`,
    )
  if (text.length > MAX_CHARS) throw refuse(what, `has ${text.length} characters; at most ${MAX_CHARS} are allowed`)
  return text
}

/** All of standard input, as text of a bearable size. */
async function readInput(what: string): Promise<string> {
  // Node takes a folder for a stream that has ended.
  if (isFolder(0)) throw refuse(what, 'cannot be read: standard input is a folder')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin) {
    bytes += (chunk as Buffer).length
    if (bytes > MAX_BYTES)
      throw refuse(what, `has more than ${MAX_BYTES} bytes; it may have at most ${MAX_CHARS} characters`)
    chunks.push(chunk as Buffer)
  }
  const text = toUtf8(Buffer.concat(chunks))
  if (text === undefined) throw refuse(what, `standard input is not UTF-8 text but binary data (${bytes} bytes)`)
  return text
}

/**
 * The lines of a text that comes in pieces, each at most as long as a task may be.
 *
 * @throws ValidationError `validation_failed` for one that is longer, without waiting for its end
 */
export async function* linesOf(source: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let begun = ''
  for await (const chunk of source) {
    const lines = (begun + decoder.decode(Buffer.from(chunk), { stream: true })).split('\n')
    begun = lines.pop() ?? ''
    if (begun.length > MAX_CHARS) throw refuse('task', `has a line of more than ${MAX_CHARS} characters`)
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (begun !== '') yield begun
}

const refuse = (what: string, message: string): ValidationError => wrong(`the ${what} ${message}`, what, message)

function isFolder(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isDirectory()
  } catch {
    return false
  }
}
