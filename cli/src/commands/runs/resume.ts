import { ConflictError, NotFoundError, type ResumeInput } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'
import { jsonOrText } from '../../input/read-json.ts'
import { defined } from '../../line/given-options.ts'
import { wrong } from '../../line/wrong.ts'
import { createProgress } from '../../progress/index.ts'
import { findId } from '../../session/find-id.ts'
import { followRun, sayRun } from '../../session/follow-run.ts'
import { findLast } from '../../session/left-runs.ts'
import type { Started } from '../../session/start-own.ts'

/** `svc runs resume <id>|--last`: goes on with a run that was left behind, that waits, or that did not complete. */
export default function resume(context: CommandContext, [word]: string[]): Promise<number> {
  const { flags, io } = context
  const isLast = flags.own.is('last')
  if (isLast === (word !== undefined))
    throw wrong(`svc runs resume needs the id of a run, or --last: see ${context.commandOf('runs list')}`)
  const input = toInput(context)
  return context.use({ needsStore: true, claims: 'own' }, async (started) => {
    const { runtime } = started
    const id = isLast ? await idOfLast(context, started) : await findId(context, runtime, 'run', word)
    const run = await runtime.runs.resume(id, input).catch((thrown: unknown) => {
      throw explained(context, thrown, id)
    })
    sayRun(context, run.id, run.id === id ? '' : ` goes on from ${id}`)
    return followRun(context, runtime, run.id, createProgress(flags, io), { ...started, leavesAtQuestion: true })
  })
}

function toInput({ flags: { own } }: CommandContext): ResumeInput {
  const addBudget = own.count('addBudget', 1)
  const text = own.text('input')
  return { ...(text !== undefined && { input: jsonOrText(text) }), ...defined({ addBudget }) }
}

async function idOfLast({ commandOf }: CommandContext, started: Started): Promise<string> {
  const last = await findLast(started)
  if (last !== undefined) return last.id
  throw new NotFoundError('run_not_found', `there is no unfinished run here: see ${commandOf('runs list')}`)
}

/** A run that cannot be taken up is at work, or needs nothing more. */
function explained({ commandOf }: CommandContext, thrown: unknown, id: string): unknown {
  if (!(thrown instanceof ConflictError) || thrown.code !== 'invalid_transition') return thrown
  const hint = / is completed/.test(thrown.message)
    ? `${commandOf(`runs fork ${id} --at <event>`)} begins another from it`
    : / waits for no input/.test(thrown.message)
      ? 'leave --input out'
      : `${commandOf(`runs watch ${id}`)} shows it`
  return new ConflictError('invalid_transition', `${thrown.message}; ${hint}`)
}
