import { existsSync } from 'node:fs'
import { toReplayResult } from '@svc/core/recordings'
import type { CommandContext } from '../../frame/context.ts'
import { toSafe } from '../../frame/io.ts'
import { renderReplay } from '../../render/replay.ts'
import { findId } from '../../session/find-id.ts'
import { replayFile } from '../../session/recording.ts'

/**
 * `svc runs replay <id>|<file>`: does a run give the same again from its records alone? A recorded one needs nothing but its
 * file and its plugins. Exit code 1 where it goes otherwise.
 */
export default function replay(context: CommandContext, [word = '']: string[]): Promise<number> {
  if (/[./\\]/.test(word) || existsSync(word)) return ofFile(context, word)
  return context.use({ needsStore: true }, async ({ runtime }) => {
    const result = await runtime.runs.replay(await findId(context, runtime, 'run', word))
    context.print(result, (columns) => renderReplay(result, columns))
    return result.identical ? 0 : 1
  })
}

async function ofFile(context: CommandContext, path: string): Promise<number> {
  const { flags, io } = context
  const replayed = await replayFile(context, path)
  const { identical, events, result, runId } = replayed
  const shown = toReplayResult(replayed)
  if (flags.output === 'stream-json') {
    for (const event of events) io.outJson(event)
    if (!identical) io.err(`svc: ${toSafe(renderReplay(shown, io.columns))}\n`)
  } else
    context.print({ runId, ...shown, events: events.length, result }, (columns) =>
      identical ? `identical: ${runId}, ${events.length} events, the same result` : renderReplay(shown, columns),
    )
  return identical ? 0 : 1
}
