import type { RunCreate, Runtime } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'
import type { CommandSource } from '../../input/slash-commands.ts'
import type { ChatScreen } from '../screen.ts'

/** What the commands of a conversation work with, and change. */
export interface Chat {
  readonly context: CommandContext
  readonly runtime: Runtime
  /** Where commands come from that are not the conversation's own. */
  readonly sources: readonly CommandSource[]
  /** What it goes on with: another one once it was taken back, or another one was chosen. */
  threadId: string
  /** For later turns, in the place of flags. */
  settings: Settings
  /** Whether each call is shown with what it was asked and gave. */
  hasDetails: boolean
  /** Whether the person has allowed to write to the clipboard. */
  mayCopy: boolean
  /** Undefined in a pipe, and where everything is plain lines. */
  readonly screen: ChatScreen | undefined
}

/** What a person set for later turns, in place of the flags. */
export type Settings = Pick<RunCreate, 'model' | 'topology' | 'tokenBudget'>

export interface Turn {
  runId: string
  task: string
}

/** The turns of a conversation, oldest first. */
export async function turnsOf({ runtime, threadId }: Chat): Promise<Turn[]> {
  const messages = await runtime.threads.messages(threadId)
  return messages.flatMap(({ role, runId, content }) => (role === 'user' ? [{ runId, task: content }] : []))
}

/** Gives the terminal to what asks a person meanwhile. */
export const paused = <T>({ screen }: Chat, work: () => Promise<T>): Promise<T> =>
  screen === undefined ? work() : screen.pause(work)

/** Lines that answer a command. */
export function sayLines({ context: { io } }: Chat, lines: readonly string[]): void {
  io.show(lines.map((line) => `  ${line}\n`).join(''))
}
