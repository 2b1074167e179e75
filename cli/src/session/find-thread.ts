import { NotFoundError } from '@svc/core'
import type { CommandContext } from '../frame/context.ts'
import { findId } from './find-id.ts'
import { isHere } from './left-runs.ts'
import type { Started } from './start-own.ts'

const MOST_LOOKED_AT = 100

/**
 * The conversation that `--thread` names, or `--continue` means: that of the newest run of this folder, or a new one that
 * begins with that run.
 *
 * @returns undefined where neither flag is given
 * @throws NotFoundError `thread_not_found`, `run_not_found`
 */
export async function findThread(context: CommandContext, started: Started): Promise<string | undefined> {
  const { flags } = context
  const { runtime } = started
  if (flags.thread !== undefined) return findId(context, runtime, 'thread', flags.thread)
  if (!flags.continue) return undefined
  const { data } = await runtime.runs.list({ mode: 'execute', limit: MOST_LOOKED_AT })
  const newest = data.find((run) => isHere(run, started))
  if (newest === undefined)
    throw new NotFoundError('run_not_found', 'there is no run in this folder to go on from: leave --continue out')
  if (newest.threadId !== undefined) return newest.threadId
  return (await runtime.threads.create({ metadata: { beganWith: newest.id } })).id
}
