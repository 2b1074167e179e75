import type { CommandContext } from '../../context.ts'
import { findId } from '../../find-id.ts'
import { readLog, reportDamage } from '../../read-log.ts'
import { refuseWords } from '../../refuse-words.ts'
import { renderTrace, toTrace } from '../../render/trace.ts'

/** `svc runs trace <id>`: what each tap of each stage took, did and changed; of a run that goes on, so far. */
export default async function trace(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('runs trace', words, 1)
  const { runtime } = await context.start({ needsStore: true })
  try {
    const { id, status, lastSeq } = await runtime.runs.get(await findId(context, runtime, 'run', words[0]))
    const events = await readLog(runtime, id, lastSeq)
    const found = { runId: id, status, ...toTrace(events) }
    context.print(found, (columns) => renderTrace(found, columns))
    return reportDamage(context, id, events)
  } finally {
    await runtime.close()
  }
}
