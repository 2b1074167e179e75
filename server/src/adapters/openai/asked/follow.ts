import type { RouteRequest } from '../../../routes/route.ts'
import { type FollowOptions, followAnswer } from '../../shared/follow-answer.ts'
import type { Begun } from './begin.ts'
import { type Outcome, type Shape, toOutcome, usageSince } from './outcome.ts'

/**
 * Follows a run to what it comes to for its client.
 *
 * @returns that, with what was said in pieces of it
 * @throws SvcError of a run that failed; the reason of the signal
 */
export async function follow(
  request: RouteRequest,
  { run, after, before }: Begun,
  shape: Shape,
  options: Pick<FollowOptions, 'onText' | 'onBreak' | 'signal'> = {},
): Promise<{ outcome: Outcome; said: string }> {
  const followed = await followAnswer(request, run, { after, ...options })
  const outcome = toOutcome(run.id, followed, shape)
  return { outcome: { ...outcome, usage: usageSince(outcome.usage, before) }, said: followed.text }
}
