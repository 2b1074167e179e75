import type { Runtime } from '@svc/core'
import { askChoice } from '../../ask/prompt.ts'
import type { CommandContext } from '../../frame/context.ts'
import { toSafe } from '../../frame/io.ts'
import { wrong } from '../../line/wrong.ts'
import { count } from '../../render/one-line.ts'

/** The clipboard of a terminal takes no more. */
const MOST_COPIED = 100_000

/**
 * `/copy`: asks the terminal to put the last answer into its clipboard (OSC 52), once the person has allowed it.
 *
 * @param mayCopy whether they have
 * @returns whether they have now
 */
export async function copyAnswer(
  { io }: CommandContext,
  runtime: Runtime,
  threadId: string,
  mayCopy: boolean,
  pause: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<boolean> {
  const messages = await runtime.threads.messages(threadId)
  const answer = messages.findLast(({ role }) => role === 'assistant')?.content
  if (answer === undefined) throw wrong('/copy: there is no answer yet')
  if (answer.length > MOST_COPIED)
    throw wrong(`/copy takes at most ${MOST_COPIED} characters, and the answer has ${answer.length}`)
  const question = 'May svc write answers to the clipboard, in this conversation?'
  const ask = (): Promise<'yes' | 'no' | undefined> =>
    askChoice(io, question, ['yes', 'no'], new AbortController().signal)
  if (!mayCopy && (await pause(ask)) !== 'yes') return false
  io.show(`\u001b]52;c;${Buffer.from(toSafe(io.redact(answer))).toString('base64')}\u0007`)
  io.err(`  copied ${count(answer.length, 'character')}, where the terminal allows it\n`)
  return true
}
