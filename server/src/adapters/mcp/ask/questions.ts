import { createHash } from 'node:crypto'
import { type Approval, type Run, SvcError, ValidationError } from '@svc/core'
import { toShownText } from '@svc/core/client'
import { describeApproval } from '@svc/core/text'
import type { McpHost } from '../host.ts'
import { type Form, toForm } from './form.ts'

/** What a run asks a person, as it is asked through the protocol. */
export type Question = { key: string; message: string; form: Form } & (
  | { kind: 'approval'; approval: Approval }
  | { kind: 'input' }
)

/** What a person answered. */
export interface Answer {
  action: 'accept' | 'decline' | 'cancel'
  content?: Readonly<Record<string, unknown>>
}

/** More of a call is read by nobody in a form. */
const MOST_CHARS = 16_000

/** What a run asks at this moment, without what was answered a moment ago. */
export function questionsOf({ waiting }: Run, answered: ReadonlySet<string>): Question[] {
  const approvals = (waiting?.approvals ?? []).map(
    (approval): Question => ({
      key: approval.id,
      kind: 'approval',
      approval,
      message: describeCall(approval),
      form: DECISION,
    }),
  )
  const { input } = waiting ?? {}
  const inputs: Question[] =
    input === undefined
      ? []
      : [
          {
            key: `${INPUT}${createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 12)}`,
            kind: 'input',
            message: cut(toShownText(`The run asks: ${input.prompt}`)),
            form: toForm(input.schema),
          },
        ]
  return [...approvals, ...inputs].filter(({ key }) => !answered.has(key))
}

const INPUT = 'input_'

/** The run may ask the same again once it has gone on. */
export function forgetInputs(answered: Set<string>): void {
  for (const key of answered) if (key.startsWith(INPUT)) answered.delete(key)
}

const DECISION: Form = {
  fields: {
    decision: {
      type: 'string',
      title: 'Decision',
      description: 'Whether the call may be made',
      enum: ['approve', 'deny'],
    },
  },
  required: ['decision'],
  read: ({ decision }) => decision,
  refusal: 'deny',
}

/** Where the runtime left a part of a preview out. */
const CUT = /\.\.\. cut: \d+ of \d+ characters are shown|\.\.\. and \d+ more/

function describeCall(approval: Approval): string {
  const { args, preview } = approval
  const all = CUT.test(preview) ? `\n\nAll arguments, whole: ${JSON.stringify(args, null, 2)}` : ''
  return cut(describeApproval(approval) + toShownText(all))
}

const cut = (text: string): string =>
  text.length <= MOST_CHARS
    ? text
    : `${text.slice(0, MOST_CHARS)}\n... cut: ${MOST_CHARS} of ${text.length} characters are shown; the console of svc shows all`

/**
 * Hands an answer to the run. What is no yes to a call is a no.
 *
 * @returns why the answer cannot be taken, and the person is to be asked again; undefined where it was taken
 */
export async function answerQuestion(
  host: McpHost,
  run: Run,
  question: Question,
  answer: Answer,
): Promise<string | undefined> {
  const { runtime, asker } = host
  const { form } = question
  const value = answer.action === 'accept' ? form.read(answer.content ?? {}) : form.refusal
  try {
    if (question.kind === 'approval') {
      const decision = value === 'approve' ? ('approve' as const) : ('deny' as const)
      await runtime.approvals.resolve(question.approval.id, { decision }, asker.by)
    } else if (value === undefined) await runtime.runs.cancel(run.id, 'a question was not answered', asker.by)
    else await runtime.runs.resume(run.id, { input: value }, asker)
    return undefined
  } catch (thrown) {
    if (thrown instanceof ValidationError && answer.action === 'accept') return thrown.message
    // Somebody else has answered, or the run has ended.
    if (SvcError.isInstance(thrown) && CLOSED.has(thrown.code)) return undefined
    if (thrown instanceof ValidationError) {
      await runtime.runs.cancel(run.id, 'a question was not answered', asker.by)
      return undefined
    }
    throw thrown
  }
}

const CLOSED: ReadonlySet<string> = new Set(['approval_closed', 'invalid_transition'])
