import type { RunMessage } from '@svc/sdk/remote'
import type { Turn } from './turns.ts'

/** What can be done about the turns of a conversation. */
export interface TurnActions {
  again: (turn: Turn, task: string) => void
  goOn: (turn: Turn, addTokens: number) => Promise<void>
  /** Takes a turn back that has not begun. */
  remove: (turn: Turn) => Promise<void>
  /** The same, and asks for another in its place. */
  replace: (turn: Turn, task: string) => void
  /** The same, and says it to the run at work. */
  sayNow: (turn: Turn) => Promise<void>
  /** Sends as the next turn what was said to a turn that had ended. */
  sendUnread: (messages: readonly RunMessage[]) => Promise<void>
  /** Whether a text was asked for after a turn. */
  isAskedAfter: (turn: Turn, text: string) => boolean
  onEnd: () => void
  announce: (text: string) => void
}
