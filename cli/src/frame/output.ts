/** What becomes of standard output and standard error where they cannot be written. */

/** As the shell counts a program that SIGPIPE ended. */
const READER_GONE = 141
const NOT_WRITTEN = 1

const unwritten = new AbortController()

/** Aborted when standard output takes nothing more: its reader has gone, or its device is full. */
export const outputEnded: AbortSignal = unwritten.signal

/**
 * Goes on without output where it cannot be written, so that no work in flight is lost. At the end a command that went well
 * exits 141 where the reader has gone, and else 1 with a line on standard error.
 */
export function guardOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (unwritten.signal.aborted) return
    unwritten.abort()
    const isReaderGone = error.code === 'EPIPE'
    process.on('exit', () => {
      process.exitCode ||= isReaderGone ? READER_GONE : NOT_WRITTEN
      if (isReaderGone) return
      const cause = error.message.replace(/, \w+$/, '')
      process.stderr.write(
        `svc: standard output could not be written (${cause}): make room, or let it go to another place\n`,
      )
    })
  })
  process.stderr.on('error', () => {})
}
