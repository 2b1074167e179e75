import { Conversation } from '../chat/conversation.ts'
import type { ChatTerminal } from '../chat/terminal.ts'
import type { CommandContext } from '../frame/context.ts'
import { linesOf } from '../input/read-task.ts'
import { wrong } from '../line/wrong.ts'
import { findThread } from '../session/find-thread.ts'

const INTERRUPTED = 130
const RELEASED = 143

/** `svc chat`: one thread, many turns; on a terminal with a prompt, else a line a turn. */
export default function chat(context: CommandContext): Promise<number> {
  const { flags, io } = context
  const picks = flags.own.is('resume')
  if (picks && (flags.thread !== undefined || flags.continue))
    throw wrong('--resume asks which conversation is gone on with: leave --thread and --continue out', 'resume')
  if (picks && !io.isInteractive) throw wrong('--resume needs a terminal to ask at: use --thread <id>', 'resume')
  return context.use({ claims: 'own' }, async (started) => {
    const { runtime, isDurable } = started
    await context.sayWarnings(runtime)
    const known = await findThread(context, started)
    const { id } = known === undefined ? await runtime.threads.create() : await runtime.threads.get(known)
    if (!flags.quiet) io.err(`svc: ${id}${io.isInteractive ? '; /help shows what there is beside tasks' : ''}\n`)
    const conversation = new Conversation(context, { ...started, threadId: id })
    const { terminal } = conversation
    const code =
      terminal === undefined ? await readTurns(conversation) : await talk(conversation, terminal, context, picks)
    if (code === RELEASED) return code
    const { threadId } = conversation
    if (known !== threadId && (await conversation.isEmpty())) await runtime.threads.delete(threadId)
    else if (isDurable && !flags.quiet)
      io.err(`svc: ${context.commandOf(`chat --thread ${threadId}`)} goes on with this conversation\n`)
    return code
  })
}

/** Until the person leaves. A turn that fails or is stopped ends nothing else. */
async function talk(
  conversation: Conversation,
  terminal: ChatTerminal,
  context: CommandContext,
  picks: boolean,
): Promise<number> {
  terminal.open?.()
  try {
    conversation.learnModel().catch(() => {}) // The first turn says what is wrong.
    if (picks) await conversation.take('/resume')
    else if (context.flags.thread !== undefined || context.flags.continue) await conversation.showLastTurn()
    for (;;) {
      const prompted = await terminal.prompt()
      if (prompted === 'end') return 0
      if (prompted === 'interrupt') return INTERRUPTED
      if (prompted.text.trim() === '') continue
      const code = await conversation.take(prompted.text)
      if (code === undefined) return 0
      if (code === RELEASED) return code
    }
  } finally {
    terminal.close?.()
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
