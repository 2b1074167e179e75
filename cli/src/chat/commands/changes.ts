import type { ExecutionResult, Runtime } from '@svc/core'
import { toShownPlace, toShownText } from '@svc/core/client'
import type { Io } from '../../frame/io.ts'
import { paintDiff } from '../../render/diff.ts'

/** `/diff`: what a run changed, file by file. @returns lines; none where it changed nothing */
export async function changesOf(runtime: Runtime, runId: string, paint: Io['paint']): Promise<string[]> {
  const { files, left } = await runtime.runs.undo(runId, { dryRun: true })
  return [
    ...files.flatMap(({ path, action, diff }) => [
      paint.bold(`${action === 'remove' ? 'created' : 'changed'} ${toShownPlace(path)}`),
      ...(diff === undefined ? [] : paintDiff(turnAround(toShownText(diff)), paint)),
    ]),
    ...left.map(({ path, tool, why }) =>
      paint.dim(`not known: ${toShownPlace(path ?? tool ?? '')}: ${toShownText(why)}`),
    ),
  ]
}

/** A unified diff the other way round: what an undo takes away is what the run added. */
export function turnAround(diff: string): string {
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
export async function filesOf(runtime: Runtime, threadId: string, given: readonly string[]): Promise<string[]> {
  const messages = await runtime.threads.messages(threadId)
  const read = new Set([...given, ...messages.flatMap(({ files = [] }) => files)])
  const runs = await Promise.all(
    messages.filter(({ role }) => role === 'user').map(({ runId }) => runtime.runs.get(runId).catch(() => undefined)),
  )
  const changed = new Map<string, string>()
  for (const run of runs)
    for (const { path, change } of (run?.result as ExecutionResult | undefined)?.facts?.files ?? [])
      changed.set(path, change)
  return [
    ...[...read].map((path) => `given   ${toShownPlace(path)}`),
    ...[...changed].map(([path, change]) => `${change.padEnd(7)} ${toShownPlace(path)}`),
  ]
}
