import type { RunEvent } from '@svc/core'
import { type Io, toSafe } from '../frame/io.ts'
import { MarkdownStream } from '../render/markdown/markdown.ts'
import { toLines } from '../render/width.ts'

/** The answer of one agent as it comes. */
export interface GrowingAnswer {
  show(event: RunEvent): void
  /** Prints the blocks that have become whole. */
  flush(): void
  /** The block that grows, at most so many lines of it. */
  look(columns: number, room: number): string[]
  /** Prints what is there: what comes next stands by itself. */
  close(): void
  /** Whether a part of it is being shown. */
  readonly hasText: boolean
  hasSaid(answer: string): boolean
}

/**
 * @param speaks false: nothing is printed, and the growing text can be looked at
 * @param onPrint called before the first line of a text is printed, and before a note that is about the text above
 */
export function createAnswer(
  io: Io,
  speaks: boolean,
  onPrint: (kind: 'text' | 'note') => void = () => {},
): GrowingAnswer {
  const clean = (text: string): string => io.redact(text)
  let stream = new MarkdownStream(clean)
  let text = ''
  /** Why it is not the answer. */
  let why: string | undefined
  let isOpen = false
  let hasBegun = false
  const print = (isEnd: boolean): void => {
    if (!isOpen) return
    const lines = stream.take(io.outColumns, io.outPaint, isEnd)
    if (lines.length === 0 || !speaks) return
    if (!hasBegun) onPrint('text')
    hasBegun = true
    io.out(`${lines.join('\n')}\n`)
  }
  const close = (): void => {
    if (!isOpen) return
    print(true)
    isOpen = false
    hasBegun = false
    stream = new MarkdownStream(clean)
  }
  const takeBack = (): void => {
    if (speaks && text !== '' && why !== undefined) {
      onPrint('note')
      io.err(`${io.paint.dim(toLines(`svc: what stands above ${why}`, io.columns - 1).join('\n'))}\n`)
    }
    text = ''
    why = undefined
  }
  return {
    show(event) {
      if (event.type === 'message.delta' && event.stage === 'execute') {
        if (!isOpen) takeBack()
        isOpen = true
        text += event.data.text
        stream.add(event.data.text)
        return
      }
      if (!ENDS.has(event.type)) return
      close()
      if (event.type !== 'message.reset') return
      why = TAKEN_BACK[event.data.reason]
      // What was cut off is the answer where nothing follows, as in a run that was stopped.
      if (event.data.reason !== 'model_failed') takeBack()
    },
    flush: () => print(false),
    look: (columns, room) => (isOpen ? stream.look(columns, room, io.paint) : []),
    close,
    get hasText() {
      return isOpen
    },
    hasSaid: (answer) => speaks && text !== '' && toSafe(text).trim() === toSafe(answer).trim(),
  }
}

/** What was said before a tool was called may stand there: it is only not the answer. */
const TAKEN_BACK: Readonly<Record<string, string>> = {
  retry: 'is not the answer: another one follows',
  model_failed: 'was cut off',
}

const ENDS: ReadonlySet<RunEvent['type']> = new Set<RunEvent['type']>([
  'model.completed',
  'model.failed',
  'model.retrying',
  'message.completed',
  'message.reset',
  'run.waiting',
])
