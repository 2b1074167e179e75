import type { Runtime, ThreadMessage } from '@svc/core'
import { RunUpdates, type RunUpdatesOptions } from '../turn/run-updates.ts'
import type { Editor } from './editor.ts'

type Reading = Pick<Runtime, 'runs' | 'threads'>

/** Shows an editor all of a conversation: what was said, and the calls of tools in between. */
export async function replayThread(
  runtime: Reading,
  threadId: string,
  editor: Editor,
  options: RunUpdatesOptions,
): Promise<void> {
  const messages = await runtime.threads.messages(threadId)
  for (const message of messages) {
    if (message.role !== 'user') continue
    showTask(message, editor)
    const isShown = await readRun(runtime, message.runId, editor, options)
    const answer = isShown
      ? undefined
      : messages.find(({ role, runId }) => role === 'assistant' && runId === message.runId)
    if (answer !== undefined)
      editor.update({
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: answer.content },
        messageId: `${message.runId}/0`,
      })
    await editor.keepsUp()
  }
}

function showTask({ content, context, runId, summarizes }: ThreadMessage, editor: Editor): void {
  const messageId = `${runId}/prompt`
  const text = summarizes === true ? '/compact' : content
  editor.update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text }, messageId })
  for (const part of Array.isArray(context) ? context : [])
    if (part.type === 'image') {
      const image = { type: 'image' as const, data: part.data, mimeType: part.mimeType }
      editor.update({ sessionUpdate: 'user_message_chunk', content: image, messageId })
    }
}

/** Plans and thoughts are of the moment. */
const SHOWN: ReadonlySet<string> = new Set(['agent_message_chunk', 'tool_call', 'tool_call_update'])

/** @returns false where its log cannot be read */
async function readRun({ runs }: Reading, runId: string, editor: Editor, options: RunUpdatesOptions): Promise<boolean> {
  const updates = new RunUpdates((update) => SHOWN.has(update.sessionUpdate) && editor.update(update), runId, options)
  const left = new AbortController()
  try {
    const { lastSeq } = await runs.get(runId)
    if (lastSeq === 0) return true
    for await (const event of runs.events(runId, { deltas: false, signal: left.signal })) {
      if (event.type === 'stream.warning') return false
      updates.apply(event)
      // One that has not ended would be waited for.
      if (event.seq === lastSeq) break
    }
    return true
  } catch {
    return false
  } finally {
    left.abort()
  }
}
