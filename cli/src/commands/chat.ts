import { Conversation } from '../chat/conversation.ts'
import { promptTurn } from '../chat/terminal.ts'
import type { CommandContext } from '../frame/context.ts'
import type { Io } from '../frame/io.ts'
import { linesOf } from '../input/read-task.ts'
import { findThread } from '../session/find-thread.ts'

const INTERRUPTED = 130
const RELEASED = 143

/** `svc chat`: one thread, many turns; on a terminal with a prompt, else a line a turn. */
export default function chat(context: CommandContext): Promise<number> {
  const { flags, io } = context
  return context.use({ claims: 'own' }, async (started) => {
    const { runtime, isDurable } = started
    await context.sayWarnings(runtime)
    const known = await findThread(context, started)
    const isNew = known === undefined
    const { id } = isNew ? await runtime.threads.create() : await runtime.threads.get(known)
    if (!flags.quiet) io.err(`svc: ${id}${io.isInteractive ? '; /help shows what there is beside tasks' : ''}\n`)
    const conversation = new Conversation(context, { ...started, threadId: id })
    const code = io.isInteractive ? await talk(conversation, io) : await readTurns(conversation)
    if (code === RELEASED) return code
    const { threadId } = conversation
    if (isNew && (await conversation.said()).length === 0) await runtime.threads.delete(threadId)
    else if (isDurable && !flags.quiet)
      io.err(`svc: ${context.commandOf(`chat --thread ${threadId}`)} goes on with this conversation\n`)
    return code
  })
}

/** Until the person leaves. A turn that fails or is stopped ends nothing else. */
async function talk(conversation: Conversation, io: Io): Promise<number> {
  const history = await conversation.said()
  for (;;) {
    const prompted = await promptTurn(io, history)
    if (prompted === 'end') return 0
    if (prompted === 'interrupt') return INTERRUPTED
    if (prompted.text.trim() === '') continue
    history.unshift(prompted.text)
    const code = await conversation.take(prompted.text)
    if (code === undefined) return 0
    if (code === RELEASED) return code
  }
}

/** @returns the exit code of the last turn that failed, else 0 */
async function readTurns(conversation: Conversation): Promise<number> {
  let failed = 0
  for await (const line of linesOf(process.stdin)) {
    if (line.trim() === '') continue
    const code = await conversation.take(line)
    if (code === undefined) break
    if (code !== 0) failed = code
    if (code === INTERRUPTED || code === RELEASED) break
  }
  return failed
}
