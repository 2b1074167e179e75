import { type RunContext, textMessage } from '../../contracts/index.ts'
import { toSvcError } from '../../errors.ts'
import { cutToTokens } from './clip.ts'
import { systemMessage } from './step-messages.ts'
import type { StepState } from './step-state.ts'
import type { Tally } from './tally.ts'
import type { Worker } from './workers.ts'

/** What the last call may take when the budget has ended; the allocation keeps it back. */
const MAX_INPUT = 2_048
const MAX_OUTPUT = 512

interface Finalize {
  run: RunContext
  sink: StepState
  states: readonly StepState[]
  worker: Worker | undefined
  tally: Tally
}

/**
 * Asks once, without tools, for an answer from what was found, in 2,048 tokens of input and 512 of output.
 *
 * @returns `undefined` when even that cannot be had, or nothing was found that an answer could be made from
 */
export async function finalize({ run, sink, states, worker, tally }: Finalize): Promise<string | undefined> {
  const { step } = sink
  const found = states.flatMap(({ output, best, evidence }) => [output || best, ...(output === '' ? evidence : [])])
  const material = found.filter((text) => text.trim() !== '')
  if (material.length === 0 || run.budget.remaining() < MAX_INPUT + MAX_OUTPUT) return undefined
  const objective = cutToTokens(step.objective, 400)
  const each = Math.floor((MAX_INPUT - 400 - 200) / material.length)
  const user = [
    objective,
    'The budget is used up. Answer now, briefly, from what was found so far, and say what is missing.',
    ...material.map((text) => `<found>\n${cutToTokens(text, each)}\n</found>`),
  ].join('\n\n')
  try {
    const answer = await run.model({
      key: `execute/agent:${sink.agentId}/step:${step.id}/attempt:${run.attempt}/model:final`,
      agentId: sink.agentId,
      stepId: step.id,
      model: worker?.model ?? '',
      messages: [
        worker === undefined ? textMessage('system', 'Answer from the material.') : systemMessage(worker, step),
        textMessage('user', user),
      ],
      maxOutputTokens: MAX_OUTPUT,
      stream: true,
    })
    tally.add(step.id, sink.agentId, answer)
    return answer.text.trim() === '' ? undefined : answer.text
  } catch (thrown) {
    const error = toSvcError(thrown)
    if (error.code === 'cancelled') throw error
    return undefined // the answer is made without a model then
  }
}
