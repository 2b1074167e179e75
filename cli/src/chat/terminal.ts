/** How a prompt ended: with a text, by Ctrl-D, or by Ctrl-C. */
export type Prompted = { text: string } | 'end' | 'interrupt'

/** Where a person types what is to be done. */
export interface ChatTerminal {
  open?(): void
  close?(): void
  /** The next text: one that waits, or what the person types now. */
  prompt(): Promise<Prompted>
  /** Works on a turn; what is typed meanwhile goes to the outbox. @param onStop Escape or Ctrl-C was pressed */
  work<T>(turn: () => Promise<T>, onStop: (key: string) => void): Promise<T>
  /** Gives the terminal to what asks a person meanwhile. */
  pause<T>(work: () => Promise<T>): Promise<T>
  /** Hands back what was not read and is not sent again. */
  giveBack(texts: readonly string[]): void
}
