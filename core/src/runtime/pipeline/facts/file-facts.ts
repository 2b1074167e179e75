import type { FileFact } from '../../../contracts/log/result-facts.ts'
import type { Call } from '../../../text/calls/call.ts'

type Change = Omit<FileFact, 'seq'>

/** The files that calls changed, each once, in the order of their last change. */
export function toFileFacts(done: readonly Call[]): FileFact[] {
  const files = new Map<string, FileFact>()
  for (const call of done) {
    for (const change of changesOf(call)) {
      const earlier = files.get(change.from ?? change.path)
      files.delete(change.from ?? change.path)
      files.set(change.path, { seq: call.seq ?? 0, ...(earlier === undefined ? change : merge(earlier, change)) })
    }
  }
  return [...files.values()]
}

function changesOf(call: Call): Change[] {
  if (call.writesFile && call.path !== undefined) return [toWritten(call, plain(call.path))]
  return call.runs && call.succeeded ? moved(call.args) : []
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

/** What a plain `rm` or `mv` did, also by git. Other programs do not say what they change. */
function moved(args: unknown): Change[] {
  const command = (args as { command?: unknown } | null)?.command
  if (!Array.isArray(command)) return []
  const words = command.filter((word): word is string => typeof word === 'string')
  const [program, ...rest] = words[0] === 'git' ? words.slice(1) : words
  const names = rest.filter((word) => !word.startsWith('-')).map(plain)
  if (program === 'rm') return names.map((path) => ({ path, change: 'deleted' }))
  const [from, to] = names
  if (program !== 'mv' || names.length !== 2 || from === undefined || to === undefined) return []
  const path = to.endsWith('/') ? `${to}${from.split('/').at(-1)}` : to
  return [{ path, change: 'moved', from }]
}

/** Two changes of one file, told as one. */
function merge(earlier: FileFact, later: Change): Change {
  const { from = earlier.from } = later
  const isNew = earlier.change === 'created' && later.change !== 'deleted'
  const sum = (name: 'added' | 'removed') => {
    const [a, b] = [earlier[name], later[name]]
    return a === undefined || b === undefined ? {} : { [name]: a + b }
  }
  const change = isNew ? 'created' : earlier.change === 'moved' && later.change === 'changed' ? 'moved' : later.change
  return { path: later.path, change, ...(from !== undefined && !isNew && { from }), ...sum('added'), ...sum('removed') }
}

const plain = (path: string): string => path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
