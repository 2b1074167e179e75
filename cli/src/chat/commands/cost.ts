import type { Run } from '@svc/core'
import { count } from '../../render/one-line.ts'
import { toCount } from '../../render/run/run.ts'
import { everyItem } from '../../session/every-item.ts'
import type { Chat } from './chat.ts'

/** `/cost`: what a conversation has taken so far. */
export async function sayCost({ context: { flags, io, print }, runtime, threadId }: Chat): Promise<void> {
  const runs: Run[] = []
  for await (const run of everyItem((query) => runtime.runs.list({ ...query, threadId }))) runs.push(run)
  const tokens = runs.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0)
  const costUsd = runs.some((run) => run.costUsd === null)
    ? null
    : runs.reduce((sum, run) => sum + (run.costUsd ?? 0), 0)
  const facts = { threadId, turns: runs.length, tokens, costUsd }
  const cost = costUsd === null ? 'cost unknown: a model has no price' : `$${costUsd.toFixed(4)}`
  if (flags.output !== 'text') io.outJson(facts)
  else print(facts, () => `${count(runs.length, 'turn')}, ${toCount(tokens)} tokens, ${cost}`)
}
