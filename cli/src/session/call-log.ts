import { appendFileSync, closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs'
import { ConfigError, type Plugin, type RunEvent, redact } from '@svc/core'
import { isForeign } from '@svc/core/support'
import { inWords } from '@svc/core/text'
import { createCleaner } from '@svc/plugins'
import { type Io, toSafeJson } from '../frame/io.ts'
import type { LogOptions } from './log-options.ts'

const CALLS = /^(?:model|tool)\.|^message\.completed$/
/** What was said, which `info` leaves out. */
const CONTENTS: ReadonlySet<string> = new Set(['args', 'result', 'content', 'toolCalls', 'params', 'prompt', 'note'])

/**
 * Writes calls of models and tools as JSON lines. Keys are taken out: values of variables that are named as secrets are,
 * and what stands in fields that are named so.
 *
 * @throws ConfigError `config_invalid` for a file that cannot be written
 */
export function createCallLog({ level, file }: LogOptions, io: Io): Plugin {
  const clean = createCleaner(io.redact, Number.POSITIVE_INFINITY)
  const write = (line: object): void => {
    const text = `${toSafeJson(clean(JSON.stringify(redact(line))))}\n`
    if (file === undefined) io.err(text)
    else append(file, text)
  }
  if (file !== undefined) append(file, '')
  /** Requests, each until its call is announced: what came before it is announced once it is written. */
  const asked = new Map<string, object[]>()
  const onEvent = ({ v: _, seq: __, type, data, ...place }: RunEvent): void => {
    const request = type === 'model.started' ? asked.get(place.runId)?.shift() : undefined
    if (request !== undefined) write(request)
    if (/^run\.(?:completed|incomplete|failed|cancelled)$/.test(type)) asked.delete(place.runId)
    if (!CALLS.test(type) || (level === 'info' && type === 'message.completed')) return
    const fields = Object.entries(data).filter(([name]) => level === 'debug' || !CONTENTS.has(name))
    write({ level, type, ...place, data: Object.fromEntries(fields) })
  }
  return {
    name: 'call-log',
    apply(host) {
      host.events.on('passive', onEvent)
      if (level === 'info') return
      host.hooks.modelRequest.tap({ name: 'call-log', stage: LAST }, (changed, given, run) => {
        const { tools, ...request } = changed ?? given
        const messages = request.messages.map((message) => ({ ...message, content: inWords(message.content) }))
        const data = { ...request, messages, ...(tools === undefined ? {} : { tools: tools.map(({ id }) => id) }) }
        const line = { level, type: 'model.request', time: new Date(run.now()).toISOString(), runId: run.id, data }
        asked.set(run.id, [...(asked.get(run.id) ?? []), line])
        return changed
      })
    },
  }
}

/** After every tap that changes a request. */
const LAST = 100_000

function append(file: string, text: string): void {
  try {
    const descriptor = openLog(file)
    try {
      appendFileSync(descriptor, text)
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    throw new ConfigError('config_invalid', `SVC_LOG: ${(cause as Error).message}`, { cause })
  }
}

/** A link of this user's own, or of the system's such as `/dev/stderr`, is followed; a user who makes one gets no log. */
function openLog(file: string): number {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true && !isForeign(file)
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants // Windows has no O_NOFOLLOW
  const descriptor = openSync(file, O_WRONLY | O_APPEND | O_CREAT | (isLink ? 0 : O_NOFOLLOW), 0o600)
  if (isLink || !fstatSync(descriptor).isFile() || !isForeign(file)) return descriptor
  closeSync(descriptor)
  throw new Error(`${file} belongs to another user: name a file of yours`)
}
