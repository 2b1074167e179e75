import { NotFoundError } from '@svc/core'
import type { CommandContext } from '../frame/context.ts'
import { findId } from './find-id.ts'
import type { Started } from './start-own.ts'

/**
 * The conversation that `--thread` names, or `--continue` means: that of the newest run of this folder, or a new one that
 * begins with that run.
 *
 * @returns undefined where neither flag is given
 * @throws NotFoundError `thread_not_found`, `run_not_found`
 */
export async function findThread(context: CommandContext, { runtime }: Started): Promise<string | undefined> {
  const { flags } = context
  if (flags.thread !== undefined) return findId(context, runtime, 'thread', flags.thread)
  if (!flags.continue) return undefined
  const [newest] = (await runtime.runs.list({ mode: 'execute', limit: 1 })).data
  if (newest === undefined)
    throw new NotFoundError('run_not_found', 'there is no run in this folder to go on from: leave --continue out')
  if (newest.threadId !== undefined) return newest.threadId
  return (await runtime.threads.create({ metadata: { beganWith: newest.id } })).id
}
