import { createInterface } from 'node:readline'
import { type Io, toSafe } from '../frame/io.ts'

/*
 * The questions are Node's readline and not @clack/prompts: a yes counts only for a call that was shown whole, which is reckoned
 * in rows of the screen, and clack draws frames of its own height, anew at each key; it takes what was typed before the
 * question stood there as the answer; and its texts have no history, which svc chat offers under the arrow keys.
 */

/** What was typed before comes in one piece; after so long without more, all of it has come. */
const QUIET_MS = 40
const CTRL_C = 3

/**
 * Asks for one of a few words, by the word or its beginning, until one is given. What was typed before the question stood
 * on the screen does not count.
 *
 * @param fallback what Enter alone means; default nothing, and the question is asked again
 * @returns undefined where the signal closed the question, or the person stopped the run with Ctrl-C
 */
export async function askChoice<Choice extends string>(
  io: Io,
  question: string,
  choices: readonly Choice[],
  signal?: AbortSignal,
  fallback?: Choice,
): Promise<Choice | undefined> {
  for (;;) {
    const said = await askLine(io, `${question} ${choicesText(choices)}: `, signal)
    if (said === undefined) return undefined
    const word = said.trim().toLowerCase()
    const meant = word === '' ? fallback : choices.find((choice) => choice.startsWith(word))
    if (meant !== undefined) return meant
    io.err(`Type ${choices.map((choice) => choice.slice(0, 1)).join(', ')}, then Enter.\n`)
  }
}

/** `(y)es, (n)o`. */
export const choicesText = (choices: readonly string[]): string =>
  choices.map((choice) => `(${choice.slice(0, 1)})${choice.slice(1)}`).join(', ')

/**
 * Asks for a line of text.
 *
 * @param written what stands there already, to be changed
 * @returns undefined where the signal closed the question, or the person stopped the run with Ctrl-C
 */
export async function askLine(
  io: Io,
  question: string,
  signal?: AbortSignal,
  written = '',
): Promise<string | undefined> {
  await discardTyped()
  if (signal?.aborted) return undefined
  return new Promise((resolve) => {
    let answer: string | undefined
    const reader = createInterface({
      input: process.stdin,
      output: process.stderr,
      terminal: !io.isPlain,
      historySize: 0,
      prompt: io.paint.bold(toSafe(question)),
      ...(signal && { signal }),
    })
    reader.on('line', (line) => {
      // Where the terminal hangs up, readline hands over what stands there: nobody has pressed Enter.
      if (!process.stdin.readableEnded) answer ??= line
      reader.close()
    })
    reader.on('SIGINT', () => reader.close())
    reader.on('SIGCONT', () => reader.prompt(true)) // Node stops reading with Ctrl-Z, and begins again at a prompt alone
    reader.on('close', () => {
      if (answer === undefined) {
        io.err('\n')
        if (!signal?.aborted) process.emit('SIGINT', 'SIGINT')
      }
      resolve(answer)
    })
    reader.prompt()
    if (written !== '' && !io.isPlain) reader.write(toSafe(written))
  })
}

/** Reads what was typed and throws it away: nobody may say yes to a question that they have not seen. */
function discardTyped(): Promise<void> {
  const { stdin } = process
  return new Promise((resolve) => {
    const end = (): void => {
      stdin.off('data', drop)
      stdin.pause()
      stdin.setRawMode?.(false)
      resolve()
    }
    // On a busy machine the time is over before what has come was read: that is read first.
    const isQuiet = (): void => {
      last = setImmediate(end)
    }
    let quiet = setTimeout(isQuiet, QUIET_MS)
    let last: NodeJS.Immediate | undefined
    const drop = (bytes: Buffer | string): void => {
      if (Buffer.from(bytes).includes(CTRL_C)) process.emit('SIGINT', 'SIGINT')
      clearTimeout(quiet)
      clearImmediate(last)
      quiet = setTimeout(isQuiet, QUIET_MS)
    }
    // A line without its end is handed over in raw mode only.
    stdin.setRawMode?.(true)
    stdin.on('data', drop)
    stdin.resume()
  })
}
