import type { LoggedMessage, LoggedPrompt } from '../../../contracts/log/prompt.ts'
import type { ContentPart, Message, ToolCall } from '../../../contracts/model/message.ts'
import { redactTexts } from '../../../support/secrets.ts'
import { isMedia, toFullText } from '../../../text/media/media.ts'
import type { CallSite } from '../call-context.ts'
import type { ModelContext } from './model-context.ts'

interface Sent {
  callId: string
  messages: readonly Message[]
}

/**
 * Writes down what models are sent, each message once: what the call before of the same agent and step was sent too, what
 * tools returned and what models answered stands in the log already.
 */
export class PromptLog {
  readonly #run: Pick<ModelContext, 'env' | 'recorder'>
  readonly #last = new Map<string, Sent>()

  constructor(run: Pick<ModelContext, 'env' | 'recorder'>) {
    this.#run = run
  }

  /** To be logged at once: it rests on what the log holds now. */
  write(site: CallSite, messages: readonly Message[]): LoggedPrompt {
    const { agentId, callId } = site
    const place = placeOf(site)
    const base = this.#last.get(place)
    this.#last.set(place, { callId, messages: [...messages] })
    const from = base === undefined ? 0 : countEqual(base.messages, messages)
    const rest = messages.slice(from).map((message) => this.#toLogged(message, agentId))
    return base === undefined || from === 0 ? { from: 0, messages: rest } : { from, base: base.callId, messages: rest }
  }

  /** Notes what a call was sent that was answered from a record, where an earlier life of the run has logged it. */
  noteRecorded(site: CallSite, messages: readonly Message[]): void {
    const { callId } = site
    const isLogged = this.#run.recorder.events.findLast(
      (event) => event.callId === callId && event.type === 'model.started' && event.data.prompt !== undefined,
    )
    if (isLogged !== undefined) this.#last.set(placeOf(site), { callId, messages: [...messages] })
  }

  #toLogged({ role, content, toolCalls, toolCallId }: Message, agentId: string): LoggedMessage {
    const { env, recorder } = this.#run
    const { view } = recorder
    const text = toFullText(content)
    if (role === 'assistant') {
      const answer = view.modelCalls.findLast(
        (call) =>
          call.agentId === agentId &&
          call.status === 'completed' &&
          call.text === text &&
          areSameCalls(call.toolCalls, toolCalls ?? []),
      )
      if (answer !== undefined) return { role, callId: answer.callId }
    }
    const known = role === 'tool' ? view.findToolCall(agentId, toolCallId) : undefined
    if (known?.status === 'completed' && known.result !== undefined && text.startsWith(known.result)) {
      const more = env.redact(text.slice(known.result.length))
      return { role, callId: known.callId, ...(more !== '' && { more }) }
    }
    const logged: LoggedMessage = { role, text: env.redact(text) }
    if (toolCallId !== undefined) logged.callId = toolCallId
    if (toolCalls !== undefined) logged.toolCalls = redactTexts(toolCalls, env.redact)
    return logged
  }
}

const placeOf = ({ agentId, stepId = '' }: CallSite): string => `${agentId}|${stepId}`

/** How many messages two conversations have in common at their beginning. */
function countEqual(some: readonly Message[], others: readonly Message[]): number {
  const most = Math.min(some.length, others.length)
  let count = 0
  while (count < most && isSame(some[count] as Message, others[count] as Message)) count++
  return count
}

/** Mostly the same object. A hook that copies what it changes makes others of those that it leaves as they are. */
const isSame = (a: Message, b: Message): boolean =>
  a === b ||
  (a.role === b.role &&
    a.toolCallId === b.toolCallId &&
    a.content.length === b.content.length &&
    a.content.every((part, index) => isSamePart(part, b.content[index] as ContentPart)) &&
    areSameCalls(a.toolCalls ?? [], b.toolCalls ?? []))

function isSamePart(a: ContentPart, b: ContentPart): boolean {
  if (a === b) return true
  if (a.type === 'text' && b.type === 'text') return a.text === b.text
  if (isMedia(a) && isMedia(b)) return a.mimeType === b.mimeType && a.data === b.data && a.name === b.name
  return a.type === 'json' && b.type === 'json' && JSON.stringify(a.json) === JSON.stringify(b.json)
}

const areSameCalls = (some: readonly ToolCall[], others: readonly ToolCall[]): boolean =>
  some === others ||
  (some.length === others.length &&
    some.every(({ callId }, index) => callId === others[index]?.callId) &&
    (some.length === 0 || JSON.stringify(some) === JSON.stringify(others)))
