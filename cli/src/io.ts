/** What a command reads and writes. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The result, and nothing else. False when the reader has gone. */
  out(text: string): void
  /** Everything else. */
  err(text: string): void
  /** Whether a person sees standard error, and may be asked. */
  readonly isInteractive: boolean
  /** Whether standard error can redraw lines. */
  readonly canRedraw: boolean
  readonly columns: number
}

/** C0 and C1 controls but tab and newline, and the marks that reorder text: nothing that a model writes may steer a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it removes
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** A text that a terminal only shows. */
export const toSafe = (text: string): string => text.replace(UNSAFE, '')

/** The process's own streams. A reader that goes away ends the output quietly. */
export function createIo({ noInput }: { noInput: boolean }): Io {
  let closed = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    closed = true
  })
  process.stderr.on('error', () => {})
  const interactive =
    process.stderr.isTTY === true && process.stdin.isTTY === true && !noInput && process.env.CI !== 'true'
  return {
    env: process.env,
    out(text) {
      if (!closed) process.stdout.write(text)
    },
    err(text) {
      process.stderr.write(text)
    },
    isInteractive: interactive,
    canRedraw: process.stderr.isTTY === true && process.env.TERM !== 'dumb',
    columns: process.stderr.columns ?? 80,
  }
}
