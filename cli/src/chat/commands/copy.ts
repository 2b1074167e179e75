import { askChoice } from '../../ask/prompt.ts'
import { toSafe } from '../../frame/io.ts'
import { wrong } from '../../line/wrong.ts'
import { count } from '../../render/one-line.ts'
import { type Chat, paused } from './chat.ts'

/** The clipboard of a terminal takes no more. */
const MOST_COPIED = 100_000

/** `/copy`: asks the terminal to put the last answer into its clipboard (OSC 52), once the person has allowed it. */
export async function copyAnswer(chat: Chat): Promise<void> {
  const { context, runtime, threadId } = chat
  const { io } = context
  const messages = await runtime.threads.messages(threadId)
  const answer = messages.findLast(({ role }) => role === 'assistant')?.content
  if (answer === undefined) throw wrong('/copy: there is no answer yet')
  if (answer.length > MOST_COPIED)
    throw wrong(`/copy takes at most ${MOST_COPIED} characters, and the answer has ${answer.length}`)
  const question = 'May svc write answers to the clipboard, in this conversation?'
  const ask = (): Promise<'yes' | 'no' | undefined> => askChoice(io, question, ['yes', 'no'])
  if (!chat.mayCopy && (await paused(chat, ask)) !== 'yes') return
  chat.mayCopy = true
  io.show(`\u001b]52;c;${Buffer.from(toSafe(io.redact(answer))).toString('base64')}\u0007`)
  io.err(`  copied ${count(answer.length, 'character')}, where the terminal allows it\n`)
}
