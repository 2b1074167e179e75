import type { CommandContext } from '../../context.ts'
import { findId } from '../../find-id.ts'
import { readLog, reportDamage } from '../../read-log.ts'
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
    if (context.flags.rest.events !== true) {
      context.print(run, (columns) => renderRun(run, { columns, commandOf }))
      return 0
    }
    const events = await readLog(runtime, run.id, run.lastSeq)
    context.print(events, (columns) => renderEvents(events, columns))
    return reportDamage(context, run.id, events)
  } finally {
    await runtime.close()
  }
}
