import type { CommandContext } from '../../frame/context.ts'
import { renderTrace, toTrace } from '../../render/run/trace.ts'
import { findId } from '../../session/find-id.ts'
import { readLog, reportDamage } from '../../session/read-log.ts'

/** `svc runs trace <id>`: what each tap of each stage took, did and changed; of a run that goes on, so far. */
export default function trace(context: CommandContext, [word]: string[]): Promise<number> {
  const { reach } = context.flags.own
  return context.use({ needsStore: true }, async ({ runtime }) => {
    const run = await runtime.runs.get(await findId(context, runtime, 'run', word), reach)
    const { id, status } = run
    const events = await readLog(runtime, run, reach)
    const found = { runId: id, status, ...toTrace(events) }
    context.print(found, (columns) => renderTrace(found, columns))
    return reportDamage(context, id, events)
  })
}
