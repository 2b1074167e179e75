import type { PermissionOption } from '@agentclientprotocol/sdk'
import type { JsonSchema } from '@svc/core'
import { toShownText } from '@svc/core/client'
import { choiceOf } from '../../ask/ask-input.ts'
import { defined } from '../../line/given-options.ts'
import type { Editor } from '../session/editor.ts'

/** What a run asks that only a person knows. */
export interface Question {
  prompt: string
  schema?: JsonSchema
}

/** An answer; without a value, the editor has no way to ask: the question is to be said, and the next prompt answers it. */
export type Answered = { value: unknown } | undefined

/**
 * Asks the person: by a form where the editor has forms, else by buttons where there are a few answers to choose from.
 *
 * @param id of the call that the editor shows the question with
 * @param signal takes the question back
 */
export async function askQuestion(
  { prompt, schema }: Question,
  id: string,
  editor: Editor,
  signal: AbortSignal,
): Promise<Answered> {
  const { answers, wrap } = choicesOf(schema)
  if (editor.hasForms) return askByForm(prompt, answers, wrap, editor, signal)
  if (answers === undefined) return undefined
  const options = [
    ...answers.map((name, at): PermissionOption => ({ optionId: `answer_${at}`, kind: 'allow_once', name })),
    ...(wrap === undefined ? [{ optionId: 'none', kind: 'reject_once', name: 'Give no answer' } as const] : []),
  ]
  const toolCall = { toolCallId: id, title: toShownText(prompt), kind: 'other', status: 'pending' } as const
  const outcome = await editor.askPermission({ toolCall, options }, signal)
  const at = outcome.outcome === 'selected' ? /^answer_(\d+)$/.exec(outcome.optionId)?.[1] : undefined
  const answer = at === undefined ? undefined : answers[Number(at)]
  return answer === undefined ? noAnswer(wrap) : { value: wrap === undefined ? answer : wrap(answer) }
}

async function askByForm(
  prompt: string,
  answers: readonly string[] | undefined,
  wrap: Choices['wrap'],
  editor: Editor,
  signal: AbortSignal,
): Promise<Answered> {
  const field = { type: 'string' as const, title: 'Answer', ...(answers !== undefined && { enum: [...answers] }) }
  const answered = await editor.askForm(
    toShownText(prompt),
    { type: 'object', properties: { answer: field }, required: ['answer'] },
    signal,
  )
  const content = answered.action === 'accept' && 'content' in answered ? answered.content : undefined
  const answer = (content as { answer?: unknown } | null | undefined)?.answer
  if (typeof answer !== 'string' || (answers !== undefined && !answers.includes(answer))) return noAnswer(wrap)
  return { value: wrap === undefined ? answer : wrap(answer) }
}

/** What says that nobody knows; of a call in doubt, what does nothing a second time. */
const noAnswer = (wrap: Choices['wrap']): { value: unknown } => ({ value: wrap === undefined ? null : wrap('skip') })

interface Choices {
  answers?: readonly string[]
  /** Makes of a choice what the run waits for. */
  wrap?: ((choice: string) => unknown) | undefined
}

/** The few answers of a schema: of `ask_user`, or of a call that may have been made before a crash. */
function choicesOf(schema: JsonSchema | undefined): Choices {
  const words: unknown = schema?.enum
  if (Array.isArray(words)) return { answers: words.filter((word): word is string => typeof word === 'string') }
  const { callId, choices } = choiceOf(schema)
  if (choices === undefined) return {}
  // What came of the call is nothing that a button can say.
  const answers = choices.filter((word) => word !== 'result')
  return { answers, wrap: (choice) => defined({ callId, choice }) }
}
