import type { ExecutionResult } from '@svc/core'
import { toShownPlace, toShownText } from '@svc/core/client'
import { wrong } from '../../line/wrong.ts'
import { paintDiff } from '../../render/diff.ts'
import { type Chat, sayLines, turnsOf } from './chat.ts'

/** `/diff`: what the last turn changed, file by file. */
export async function sayChanges(chat: Chat): Promise<void> {
  const { context, runtime } = chat
  const { paint } = context.io
  const last = (await turnsOf(chat)).at(-1)
  if (last === undefined) throw wrong('/diff: nothing was done in this conversation yet')
  const { files, left } = await runtime.runs.undo(last.runId, { dryRun: true })
  const lines = [
    ...files.flatMap(({ path, action, diff }) => [
      paint.bold(`${action === 'remove' ? 'created' : 'changed'} ${toShownPlace(path)}`),
      ...(diff === undefined ? [] : paintDiff(turnAround(toShownText(diff)), paint)),
    ]),
    ...left.map(({ path, tool, why }) =>
      paint.dim(`not known: ${toShownPlace(path ?? tool ?? '')}: ${toShownText(why)}`),
    ),
  ]
  sayLines(chat, lines.length === 0 ? ['the last turn changed no file'] : lines)
}

/** A unified diff the other way round: what an undo takes away is what the run added. */
function turnAround(diff: string): string {
  const lines: string[] = []
  let added: string[] = []
  let removed: string[] = []
  const flush = (): void => {
    lines.push(...removed, ...added)
    added = []
    removed = []
  }
  for (const line of diff.split('\n')) {
    if (/^(?:---|\+\+\+) /.test(line)) continue // the path stands above
    if (line.startsWith('-')) added.push(`+${line.slice(1)}`)
    else if (line.startsWith('+')) removed.push(`-${line.slice(1)}`)
    else {
      flush()
      lines.push(line.replace(/^@@ -(\S{1,40}) \+(\S{1,40}) @@/, '@@ -$2 +$1 @@'))
    }
  }
  flush()
  return lines.join('\n')
}

/** `/files`: what a conversation was given, and what it changed. */
export async function sayFiles(chat: Chat): Promise<void> {
  const { context, runtime, threadId } = chat
  const messages = await runtime.threads.messages(threadId)
  const read = new Set([...context.flags.file, ...messages.flatMap(({ files = [] }) => files)])
  const runs = await Promise.all(
    messages.filter(({ role }) => role === 'user').map(({ runId }) => runtime.runs.get(runId).catch(() => undefined)),
  )
  const changed = new Map<string, string>()
  for (const run of runs)
    for (const { path, change } of (run?.result as ExecutionResult | undefined)?.facts?.files ?? [])
      changed.set(path, change)
  const lines = [
    ...[...read].map((path) => `given   ${toShownPlace(path)}`),
    ...[...changed].map(([path, change]) => `${change.padEnd(7)} ${toShownPlace(path)}`),
  ]
  sayLines(chat, lines.length === 0 ? ['no files yet'] : lines)
}
