import type { FileFact } from '../../../contracts/log/result-facts.ts'
import type { Call } from '../../../text/calls/call.ts'
import { type Change, plain, toMoves } from './moves.ts'

/** The files that calls changed, each once, in the order of their last change. */
export function toFileFacts(done: readonly Call[]): FileFact[] {
  const files = new Map<string, FileFact>()
  const seen = new Set<string>()
  for (const call of done) {
    for (const { mayMiss, ...change } of changesOf(call)) {
      const from = change.from ?? change.path
      const earlier = files.get(from)
      if (mayMiss && earlier === undefined && !seen.has(from)) continue
      if (change.change === 'deleted' || change.change === 'moved') takeAlong(files, change, from)
      files.delete(from)
      files.set(change.path, { seq: call.seq ?? 0, ...(earlier === undefined ? change : merge(earlier, change)) })
    }
    if (call.path !== undefined) seen.add(plain(call.path))
  }
  return [...files.values()]
}

/** What is in a folder goes with it. */
function takeAlong(files: Map<string, FileFact>, { change, path }: Change, from: string): void {
  for (const [inside, fact] of files) {
    if (!inside.startsWith(`${from}/`)) continue
    files.delete(inside)
    const moved = `${path}${inside.slice(from.length)}`
    if (change === 'moved') files.set(moved, { ...fact, path: moved })
  }
}

function changesOf(call: Call): Change[] {
  if (call.writesFile && call.path !== undefined) return [toWritten(call, plain(call.path))]
  return call.runs && call.succeeded ? toMoves(call.args) : []
}

function toWritten({ text }: Call, path: string): Change {
  const lines = text.split('\n')
  const isDiff = lines.some((line) => line.startsWith('@@ '))
  const change = /^created\b/i.test(text) ? 'created' : 'changed'
  if (!isDiff) return { path, change }
  const body = lines.slice(lines.findIndex((line) => line.startsWith('@@ ')))
  const count = (sign: string): number => body.filter((line) => line.startsWith(sign)).length
  return { path, change, added: count('+'), removed: count('-') }
}

/** Two changes of one file, told as one. */
function merge(earlier: FileFact, later: Change): Change {
  const { from = earlier.from } = later
  const isNew = earlier.change === 'created' && later.change !== 'deleted'
  const sum = (name: 'added' | 'removed') => {
    // To move a file changes no line of it.
    const [a, b] = [earlier[name], later.change === 'moved' ? 0 : later[name]]
    return a === undefined || b === undefined ? {} : { [name]: a + b }
  }
  const change = isNew ? 'created' : earlier.change === 'moved' && later.change === 'changed' ? 'moved' : later.change
  return { path: later.path, change, ...(from !== undefined && !isNew && { from }), ...sum('added'), ...sum('removed') }
}
