/** A screen of its own for what is redrawn. */
export interface Screen {
  /** Shows these lines and nothing else; each is no wider than the terminal, and there are no more than it has rows. */
  draw(lines: readonly string[]): void
  /** Brings back the screen from before, as it was, and prints what was printed meanwhile. */
  close(): void
}

/** The terminal's other screen, which no history is kept of; lines that are too wide are cut, not broken. */
const ENTER = '\u001b[?1049h\u001b[?7l'
const LEAVE = '\u001b[H\u001b[J\u001b[?7h\u001b[?1049l'

/**
 * Opens the terminal's other screen: whatever is drawn there, and however the terminal is resized meanwhile, nothing of it
 * is left behind.
 */
export function openScreen(): Screen {
  const { stdout, stderr } = process
  const write = stderr.write.bind(stderr)
  const held: (() => void)[] = []
  const streams = [stderr, ...(stdout.isTTY === true ? [stdout] : [])].map((stream) => {
    const own = stream.write
    const hold = (...args: Parameters<typeof own>): boolean => {
      held.push(() => own.apply(stream, args))
      return true
    }
    stream.write = hold as typeof own
    return () => {
      stream.write = own
    }
  })
  const close = (): void => {
    process.off('exit', close)
    for (const giveBack of streams) giveBack()
    write(LEAVE)
    for (const print of held) print()
  }
  process.on('exit', close)
  write(ENTER)
  return {
    draw: (lines) => void write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`),
    close,
  }
}
