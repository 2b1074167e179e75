import { ValidationError } from '@svc/core'
import type { CommandContext } from '../context.ts'
import { toSafe } from '../io.ts'
import { replayFile } from '../recording.ts'
import { refuseWords } from '../refuse-words.ts'
import { renderReplay } from '../render/replay.ts'

/**
 * `svc replay <file>`: goes over a recorded run, with nothing of it but the file and its plugins. Exit code 1 where it goes
 * otherwise than it was recorded.
 */
export default async function replay(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('replay', words, 1)
  const { flags, io } = context
  const [path] = words
  if (path === undefined)
    throw new ValidationError(
      'validation_failed',
      'svc replay needs the file of a recorded run, as svc export and svc run --record write it; svc runs replay <id> takes a run of this folder',
    )
  const { identical, events, result, runId, recorded, firstDifference } = await replayFile(context, path)
  if (flags.output === 'stream-json') for (const event of events) io.outJson(event)
  const [before, now] = firstDifference ?? [0, 0]
  const divergence = {
    seq: before,
    expected: recorded.find(({ seq }) => seq === before) ?? null,
    actual: events.find(({ seq }) => seq === now) ?? null,
  }
  const shown = identical ? { identical } : { identical, firstDivergence: divergence }
  if (flags.output !== 'stream-json')
    context.print({ runId, ...shown, events: events.length, result }, (columns) =>
      identical ? `identical: ${runId}, ${events.length} events, the same result` : `${renderReplay(shown, columns)}`,
    )
  if (!identical && flags.output === 'stream-json') io.err(`svc: ${toSafe(renderReplay(shown, io.columns))}\n`)
  return identical ? 0 : 1
}
