import { existsSync } from 'node:fs'
import { ConflictError, NotFoundError, type ResumeInput, type Run, ValidationError } from '@svc/core'
import type { CommandContext } from '../../context.ts'
import { sayRun } from '../../execute-run.ts'
import { findId } from '../../find-id.ts'
import { followRun } from '../../follow-run.ts'
import { findLast, isHere } from '../../left-runs.ts'
import { createProgress } from '../../progress/index.ts'
import { countOf, textOf } from '../../read-options.ts'
import { refuseWords } from '../../refuse-words.ts'
import type { Started } from '../../started.ts'

/** `svc runs resume <id>|--last`: goes on with a run that was left behind, that waits, or that did not complete. */
export default async function resume(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('runs resume', words, 1)
  const { flags, io } = context
  const isLast = flags.rest.last === true
  if (isLast === words.length > 0)
    throw new ValidationError(
      'validation_failed',
      `svc runs resume needs the id of a run, or --last: see ${context.commandOf('runs list')}`,
    )
  const input = toInput(context)
  const started = await context.start({ needsStore: true, claims: 'own' })
  const { runtime, isDurable } = started
  try {
    const id = isLast ? await idOfLast(context, started) : await findId(context, runtime, 'run', words[0])
    refuseElsewhere(await runtime.runs.get(id), started)
    const run = await runtime.runs.resume(id, input).catch((thrown: unknown) => {
      throw explained(context, thrown, id)
    })
    sayRun(context, run.id, run.id === id ? '' : ` goes on from ${id}`)
    return await followRun(context, runtime, run.id, createProgress(flags, io), { isDurable })
  } finally {
    await runtime.close()
  }
}

function toInput({ flags: { rest } }: CommandContext): ResumeInput {
  const addBudget = countOf('add-budget', rest.addBudget, { min: 1, max: Number.MAX_SAFE_INTEGER })
  const text = textOf(rest.input)
  return {
    ...(text === undefined ? {} : { input: toValue(text) }),
    ...(addBudget === undefined ? {} : { addBudget }),
  }
}

function toValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** @throws ConflictError `invalid_transition` for a run whose tools would act on another folder than so far */
function refuseElsewhere(run: Run, started: Started): void {
  const { id, space = '' } = run
  // A project that was moved is not found where it was.
  if (isHere(run, started) || !existsSync(space)) return
  throw new ConflictError(
    'invalid_transition',
    `run ${id} was begun in ${space}: svc runs resume ${id} --cwd ${space} goes on with it`,
  )
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
