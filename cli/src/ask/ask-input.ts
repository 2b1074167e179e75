import type { JsonSchema } from '@svc/core'
import { toShownPlace, toShownText } from '@svc/core/client'
import type { CommandContext } from '../frame/context.ts'
import type { Io } from '../frame/io.ts'
import { jsonOrText } from '../input/read-json.ts'
import { defined } from '../line/given-options.ts'
import { behindBar } from './behind-bar.ts'
import { askChoice, askLine } from './prompt.ts'

/** What a run wants to know. */
export interface AskedInput {
  prompt: string
  schema?: JsonSchema
}

/** Does nothing a second time. */
const SAFE_CHOICE = 'skip'

/** A choice where the answer is one of a few, else a text; what is JSON is taken as what it says. */
export async function askInput({ prompt, schema }: AskedInput, io: Io, signal: AbortSignal): Promise<unknown> {
  const { callId, choices } = choiceOf(schema)
  if (Array.isArray(schema?.enum)) {
    const answers = schema.enum.filter((answer) => typeof answer === 'string')
    sayPrompt(prompt, io)
    io.err(answers.map((answer, at) => `  ${at + 1}  ${toShownPlace(answer)}\n`).join(''))
    const numbers = answers.map((_, at) => String(at + 1))
    const number = await askChoice(io, 'Which?', numbers, signal)
    return number === undefined ? undefined : answers[Number(number) - 1]
  }
  sayPrompt(prompt, io)
  if (choices === undefined) return askText(io, 'Your answer: ', signal)
  const choice = await askChoice(io, 'What shall svc do?', choices, signal, SAFE_CHOICE)
  if (choice === undefined) return undefined
  const result = choice === 'result' ? await askText(io, 'The result of the call: ', signal) : undefined
  if (choice === 'result' && result === undefined) return undefined
  return defined({ callId, choice, result })
}

/** A question of a run: whatever its words look like, svc does not ask for a permission or a secret with them. */
function sayPrompt(prompt: string, io: Io): void {
  const lines = toShownText(io.redact(prompt)).split('\n')
  io.show(`The run asks:\n${lines.flatMap((line) => behindBar(line, io, io.paint.bold)).join('\n')}\n`)
}

/** A text; what is JSON is taken as what it says. */
async function askText(io: Io, message: string, signal: AbortSignal): Promise<unknown> {
  const answer = await askLine(io, message, signal)
  return answer === undefined ? undefined : jsonOrText(answer)
}

/** The fields of the schema that `indeterminate_tool` asks with. */
export function choiceOf(schema: JsonSchema | undefined): { callId?: string; choices?: string[] } {
  const { callId, choice } = (schema?.properties ?? {}) as Record<string, { const?: unknown; enum?: unknown[] }>
  if (!Array.isArray(choice?.enum)) return {}
  return { choices: choice.enum.map(String), ...(callId?.const !== undefined && { callId: String(callId.const) }) }
}

/** The command that answers a question; where there is a choice, with the one that does nothing. */
export function howToAnswer(
  runId: string,
  { schema }: Pick<AskedInput, 'schema'>,
  commandOf: CommandContext['commandOf'],
): string {
  const { callId, choices } = choiceOf(schema)
  const command = `${commandOf(`runs resume ${runId}`)} --input`
  const words: unknown = schema?.enum
  if (Array.isArray(words)) return `${command} ${words.map((word) => JSON.stringify(word)).join(' or ')}`
  if (choices === undefined) return `${command} <text or JSON>`
  const example = JSON.stringify({ callId, choice: SAFE_CHOICE })
  return `${command} '${example}' (or "retry", or "result" with "result": what came of it)`
}
