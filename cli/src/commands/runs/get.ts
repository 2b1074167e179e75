import type { RunEvent } from '@svc/core'
import type { CommandContext } from '../../context.ts'
import { findId } from '../../find-id.ts'
import { refuseWords } from '../../refuse-words.ts'
import { renderEvents } from '../../render/events.ts'
import { renderRun } from '../../render/run.ts'

/** `svc runs get <id>`: what is known of a run, and its answer; with `--events` its log. */
export default async function get(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('runs get', words, 1)
  const { runtime } = await context.start({ needsStore: true })
  try {
    const { commandOf } = context
    const run = await runtime.runs.get(await findId(context, runtime, 'run', words[0]))
    if (context.flags.rest.events !== true) context.print(run, (columns) => renderRun(run, { columns, commandOf }))
    else {
      const events: RunEvent[] = []
      // Of a run that goes on, those so far.
      const page = runtime.runs.events(run.id, { deltas: false })
      for await (const event of page) if (events.push(event) >= run.lastSeq) break
      context.print(events, (columns) => renderEvents(events, columns))
    }
    return 0
  } finally {
    await runtime.close()
  }
}
