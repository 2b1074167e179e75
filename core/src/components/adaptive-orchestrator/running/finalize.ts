import { textMessage } from '../../../contracts/index.ts'
import { toSvcError } from '../../../errors.ts'
import { cutToTokens } from '../clip.ts'
import { systemMessage } from './agent/step-messages.ts'
import type { ExecutionContext } from './state/execution-context.ts'

/** Tokens that the last call may take when the budget has ended; the allocation keeps them back. */
const MAX_INPUT = 2_048
const MAX_OUTPUT = 512
/** Of the input: for the objective, and for the sentences around the material. */
const OBJECTIVE = 400
const FRAME = 200

/**
 * Makes an answer where the budget has ended before there was one: asks once, without tools, for an answer from what was
 * found, in 2,048 tokens of input and 512 of output. Without that call the answer is put together from finished steps.
 */
export async function finalize(context: ExecutionContext): Promise<void> {
  const { run, lastStep, stop, previous } = context
  if (stop?.code !== 'budget_exhausted' && stop?.code !== 'max_steps') return
  if (lastStep.status === 'completed' || run.signal.aborted) return
  if (previous?.reflection !== undefined) return // the answer of the earlier attempt stands
  const text = await askForAnswer(context)
  const how = text === undefined ? 'put together from the finished steps without a model' : 'made in one last call'
  run.warn({ code: stop.code, message: `${stop.message}; the answer was ${how}` })
  if (text === undefined) return
  lastStep.output = text
  lastStep.status = 'failed'
}

/** @returns `undefined` when even that call cannot be made, or nothing was found that an answer could be made from */
async function askForAnswer(context: ExecutionContext): Promise<string | undefined> {
  const { run, lastStep, states } = context
  const { step, agentId } = lastStep
  const found = [...states.values()].flatMap(({ output, best, evidence }) => [
    output || best,
    ...(output === '' ? evidence : []),
  ])
  const material = found.filter((text) => text.trim() !== '')
  if (material.length === 0 || run.budget.remaining() < MAX_INPUT + MAX_OUTPUT) return undefined
  const objective = cutToTokens(step.objective, OBJECTIVE)
  const each = Math.floor((MAX_INPUT - OBJECTIVE - FRAME) / material.length)
  const user = [
    objective,
    'The budget is used up. Answer now, briefly, from what was found so far, and say what is missing.',
    ...material.map((text) => `<found>\n${cutToTokens(text, each)}\n</found>`),
  ].join('\n\n')
  const worker = context.workerOf(agentId)
  const { instructions, readOnly = false } = run.options
  const around = { plan: context.plan, notes: [], instructions, isReadOnly: readOnly, helpers: [] }
  try {
    const answer = await run.model({
      key: `execute/agent:${agentId}/step:${step.id}/attempt:${run.attempt}/model:final`,
      agentId,
      stepId: step.id,
      model: worker.model,
      messages: [systemMessage(worker, step, around), textMessage('user', user)],
      maxOutputTokens: MAX_OUTPUT,
      stream: true,
    })
    context.noteAnswer(lastStep, worker, answer)
    return answer.text.trim() === '' ? undefined : answer.text
  } catch (thrown) {
    const error = toSvcError(thrown)
    if (error.code === 'cancelled') throw error
    return undefined // the answer is made without a model then
  }
}
