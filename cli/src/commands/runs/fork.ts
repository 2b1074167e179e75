import type { ForkInput, RunEvent, Runtime } from '@svc/core'
import { type ForkPoint, findForkPoint } from '@svc/core/client'
import type { CommandContext } from '../../frame/context.ts'
import { toSafe } from '../../frame/io.ts'
import { readJsonFile, readJsonObject } from '../../input/read-json.ts'
import { defined } from '../../line/given-options.ts'
import { wrong } from '../../line/wrong.ts'
import { createProgress } from '../../progress/index.ts'
import { forkChanges } from '../../render/run/fork-changes.ts'
import { fit } from '../../render/width.ts'
import { findId } from '../../session/find-id.ts'
import { followRun, sayRun } from '../../session/follow-run.ts'
import { readLog } from '../../session/read-log.ts'

const CHANGES = '--task, --prompt, --instructions, --model, --topology, --budget, --max-cost, --plan or --tool-results'

/** `svc runs fork <id>`: a new run that takes over what was recorded before its changes reach it, or up to an event. */
export default async function fork(context: CommandContext, [word]: string[]): Promise<number> {
  const { flags, io } = context
  const input = await toInput(context)
  return context.use({ needsStore: true, claims: 'own' }, async (started) => {
    const { runtime } = started
    const id = await findId(context, runtime, 'run', word)
    const run = await runtime.runs.fork(id, input)
    const events = await readLog(runtime, await runtime.runs.get(id))
    const point = findForkPoint(events, input.edits, input.atSeq)
    sayRun(context, run.id, point === undefined ? ` forks ${id}` : ` forks ${id} ${inWords(point)}`)
    const code = await followRun(context, runtime, run.id, createProgress(flags, io), {
      ...started,
      leavesAtQuestion: true,
    })
    if (!flags.quiet) await sayChanges(context, runtime, id, run.id)
    return code
  })
}

/** Where it begins, and what that saves. */
function inWords({ atSeq, kept: { stages, modelCalls, toolCalls, tokens } }: ForkPoint): string {
  const calls = `${modelCalls} model and ${toolCalls} tool calls`
  const kept = stages.length + modelCalls + toolCalls === 0 ? 'nothing' : `${stages.length} stages, ${calls}`
  return `at event ${atSeq}: ${kept} kept${tokens === 0 ? '' : `, ${tokens} tokens saved`}`
}

/** Says in what the fork was set up otherwise than its parent. */
async function sayChanges({ io }: CommandContext, runtime: Runtime, parentId: string, id: string): Promise<void> {
  const read = async (runId: string): Promise<RunEvent[]> => readLog(runtime, await runtime.runs.get(runId))
  const changes = forkChanges(await read(parentId), await read(id))
  const width = Math.max(20, Math.floor((io.columns - 30) / 2))
  const lines = changes.map(({ what, before, after }) => `  ${what}: ${fit(before, width)} -> ${fit(after, width)}\n`)
  io.err(
    toSafe(
      lines.length === 0 ? 'svc: set up as its parent\n' : `svc: set up otherwise than its parent:\n${lines.join('')}`,
    ),
  )
}

async function toInput({ flags, commandOf }: CommandContext): Promise<ForkInput> {
  const { own, model, topology, budget: tokenBudget, maxCost } = flags
  const atSeq = own.count('at', 0)
  const [plan, results] = [own.text('plan'), own.text('toolResults')]
  const edits: ForkInput['edits'] = {
    ...defined({
      task: own.text('task'),
      model,
      prompt: own.text('prompt'),
      instructions: own.text('instructions'),
      topology: topology as NonNullable<ForkInput['edits']>['topology'],
      tokenBudget,
      budget: maxCost === undefined ? undefined : { maxCostUsd: maxCost },
    }),
    ...(plan !== undefined && { plan: await readJsonFile('plan', plan) }),
    ...(results !== undefined && { toolResults: await readJsonObject('tool-results', results) }),
  }
  const isEdited = Object.keys(edits).length > 0
  if (atSeq === undefined && !isEdited)
    throw wrong(
      `svc runs fork needs what to change: ${CHANGES}; or --at with the number of an event, after which the work is done again: ${commandOf('runs get <id> --events')} shows them`,
    )
  return { ...defined({ atSeq }), ...(isEdited && { edits }) }
}
