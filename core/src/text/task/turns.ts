import type { ContentPart, Message } from '../../contracts/model/message.ts'
import { textMessage } from '../../contracts/model/message-text.ts'
import type { RunOptions } from '../../contracts/run/run.ts'
import type { ThreadMessage } from '../../contracts/run/thread.ts'
import { clientToolId } from '../../contracts/tool/client-tool.ts'
import { mediaOf, toFullText } from '../media/media.ts'

type Material = RunOptions['context']

/** The text that came with a task, marked as the material it is; empty where none did. */
export function quoteMaterial(context: Material = ''): string {
  const text = toFullText(context)
  return text.trim() === '' ? '' : `Material that came with the task:\n<material>\n${text}\n</material>`
}

/** The same as the first parts of a message, with its images and files, which the text names in their order. */
export function materialParts(context: Material): ContentPart[] {
  const text = quoteMaterial(context)
  return text === '' ? [] : [{ type: 'text', text: `${text}\n` }, ...mediaOf(context)]
}

/** Images and files follow the text, which names them in their order. */
export const withMedia = (message: Message, context: Material): Message => {
  const media = mediaOf(context)
  return media.length === 0 ? message : { ...message, content: [...message.content, ...media] }
}

/**
 * Earlier turns of a thread as messages, user and assistant in turn: each task as its run was sent it, and its answer. Where a
 * run did not complete, what became of it stands behind what it had answered, or in its place.
 */
export function toTurns(thread: readonly ThreadMessage[]): Message[] {
  return thread.flatMap(({ role, content, context, calls, status, runId }, index): Message[] => {
    const note = status === undefined ? '' : (NOTES[status] ?? 'not yet')
    if (role === 'assistant' && calls !== undefined) return [withCalls(content, calls), ...calls.map(toResult)]
    if (role === 'assistant') return [textMessage('assistant', note === '' ? content : `${content}\n\n[${note}]`)]
    const asked: Message = { role: 'user', content: [...materialParts(context), { type: 'text', text: content }] }
    const next = thread[index + 1]
    const isAnswered = next?.role === 'assistant' && next.runId === runId
    return isAnswered ? [asked] : [asked, textMessage('assistant', `[no answer${note === '' ? '' : `: ${note}`}]`)]
  })
}

const withCalls = (content: string, calls: NonNullable<ThreadMessage['calls']>): Message => ({
  role: 'assistant',
  content: content === '' ? [] : [{ type: 'text', text: content }],
  toolCalls: calls.map(({ callId, tool, args }) => ({ callId, tool: clientToolId(tool), args })),
})

const toResult = ({ callId, result }: NonNullable<ThreadMessage['calls']>[number]): Message => ({
  role: 'tool',
  toolCallId: callId,
  content: [{ type: 'text', text: result }],
})

const NOTES: Partial<Record<NonNullable<ThreadMessage['status']>, string>> = {
  incomplete: 'the run ended incomplete',
  failed: 'the run failed',
  cancelled: 'the run was cancelled',
}
