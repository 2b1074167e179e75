import { type Tool, ToolError } from '@svc/core'
import * as Type from 'typebox'
import { checkArgs } from './configured/check-args.ts'

const parameters = Type.Object(
  {
    question: Type.String({ minLength: 1, maxLength: 4000, description: 'One question, understandable by itself.' }),
    choices: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 2,
        maxItems: 9,
        uniqueItems: true,
        description: 'Answers to choose from, where there are only a few.',
      }),
    ),
  },
  { additionalProperties: false },
)
const DAY_MS = 24 * 3_600_000

/** Asks the person who gave the task, and answers what they said. Offered only where somebody answers. */
export const askUser: Tool = {
  id: 'ask_user',
  description:
    'Asks the person who gave the task, and waits for the answer. Only for what the task leaves open, no tool can find out, and a wrong guess would spoil.',
  parameters: { ...parameters },
  risk: 'read',
  needsPerson: true,
  timeoutMs: DAY_MS,
  maxOutputBytes: 65_536,
  readsNothing: true,
  touches: async () => ({}),
  async run(args, { ask }) {
    const { question, choices } = checkArgs('ask_user', parameters, args)
    const resolution = await ask({
      kind: 'input',
      prompt: question,
      // `null` says that nobody knows.
      ...(choices && { schema: { enum: [...choices, null] } }),
    })
    const answer = resolution.kind === 'input' ? resolution.value : null
    if (answer !== null && answer !== '') return answer
    throw new ToolError('tool_failed', 'nobody answered: go on by the likeliest reading of the task, and say which')
  },
}
