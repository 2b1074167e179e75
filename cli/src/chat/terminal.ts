import type { TurnMessages } from './turn-messages.ts'

/** How a prompt ended: with a text, by Ctrl-D, or by Ctrl-C. */
export type Prompted = { text: string } | 'end' | 'interrupt'

export interface WorkOptions {
  /** What is said to the turn while it works; undefined: all that is typed waits for its end. */
  messages: TurnMessages | undefined
  /** Escape or Ctrl-C was pressed. */
  onStop(key: string): void
}

/** Where a person types what is to be done. */
export interface ChatTerminal {
  open?(): void
  close?(): void
  /** The next text: one that waits, or what the person types now. */
  prompt(): Promise<Prompted>
  /** Works on a turn; what is typed meanwhile is sent to it, or waits. */
  work<T>(turn: () => Promise<T>, options: WorkOptions): Promise<T>
  /** Gives the terminal to what asks a person meanwhile. */
  pause<T>(work: () => Promise<T>): Promise<T>
  /** Makes a text the next turn, before all that waits. */
  sendNext(text: string): void
  /** Hands back what was not read and is not sent again. */
  giveBack(texts: readonly string[]): void
}
