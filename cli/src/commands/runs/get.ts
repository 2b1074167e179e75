import type { ExecutionResult, Run, RunResult } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'
import { printResult } from '../../render/answer.ts'
import { renderEvents } from '../../render/run/events.ts'
import { reportOutcome, sayFacts } from '../../render/run/outcome.ts'
import { renderRun, renderRunResult } from '../../render/run/run.ts'
import { findId } from '../../session/find-id.ts'
import { readLog, reportDamage } from '../../session/read-log.ts'

/** `svc runs get <id>`: what is known of a run, and its answer; with `--events` its log. */
export default function get(context: CommandContext, [word]: string[]): Promise<number> {
  const { own } = context.flags
  return context.use({ needsStore: true }, async ({ runtime }) => {
    const run = await runtime.runs.get(await findId(context, runtime, 'run', word), own.reach)
    if (!own.is('events')) {
      context.print(run, (columns) => renderRun(run, { columns, commandOf: context.commandOf }))
      if (context.flags.output === 'text') printAnswer(run, context)
      sayEnd(run, context)
      return 0
    }
    const events = await readLog(runtime, run, own.reach)
    context.print(events, (columns) => renderEvents(events, columns))
    return reportDamage(context, run.id, events)
  })
}

/** Its answer, where it has one, below what is known of it. */
function printAnswer({ mode, result }: Run, context: CommandContext): void {
  if (result === undefined || renderRunResult(mode, result as RunResult) === '') return
  context.io.out('\n')
  printResult(context, mode, result as RunResult)
}

/** Says what `svc run` said below the answer; why there is none stands with the run, and what it warned of is a fact. */
function sayEnd({ status, result }: Run, context: CommandContext): void {
  const ended = result as ExecutionResult | undefined
  if (context.flags.output !== 'text' || ended?.facts === undefined) return
  const isAnswered = status === 'completed' || status === 'incomplete'
  if (isAnswered) reportOutcome(ended, context)
  sayFacts(isAnswered ? ended : { ...ended, warnings: [] }, context)
}
