import { toShownPlace, toShownText } from '@svc/core/client'
import type { Io } from '../frame/io.ts'
import { fitEnd, fitMiddle, toLines, widthOf } from '../render/width.ts'
import { behindBar } from './behind-bar.ts'
import { askLine } from './prompt.ts'

/** A call as a person is asked about it. */
export interface ShownCall {
  /** Who wants what, and why it is asked. */
  head: string
  /** All that the call would do. */
  text: string
  /** What it touches, a line each: said again right above the question. */
  places: readonly string[]
  /** Where it would act. */
  folder: string
}

/** Columns left of what an agent wrote. */
const INDENT = 4
/** Room for what a person types. */
const ANSWER = 4
const MOST_PLACE_ROWS = 6
const PLACE = /^(?:path|host|command): /

/**
 * A call on a terminal: whole where it fits, else its beginning and its end, and page by page. Knows whether a person had
 * all of it before their eyes.
 */
export class CallScreen {
  readonly #io: Io
  readonly #head: string
  readonly #text: string
  readonly #places: readonly string[]
  readonly #folder: string
  #isWhole = false
  #isPaged = false
  /** Columns that the question takes. */
  #question = 0
  #reckoned: { columns: number; rows: string[] } | undefined

  constructor(call: ShownCall, io: Io) {
    const clean = (text: string): string => toShownText(io.redact(text))
    this.#io = io
    this.#head = clean(call.head.replaceAll('\n', ' '))
    this.#text = clean(call.text)
    this.#places = call.places.map((place) => toShownPlace(io.redact(place)))
    this.#folder = clean(call.folder)
  }

  /** Whether all of the call was shown, and what stood on one screen still fits on it. */
  get isShown(): boolean {
    return this.#isPaged || (this.#isWhole && this.#rows().length <= this.#room)
  }

  /** Shows the call above a question that takes so many columns; after all pages its places alone. */
  show(question: number): void {
    const places = this.#placeRows()
    this.#question = question
    const rows = this.#isPaged ? [] : this.#rows()
    this.#isWhole = rows.length <= this.#room
    this.#print([...(this.#isWhole ? rows : this.#ends(rows)), ...places])
  }

  /** Shows the call without a question: its beginning and its end where it is long, and its places. */
  showAlone(): void {
    const places = this.#placeRows()
    const rows = this.#rows()
    this.#print([...(rows.length <= this.#room ? rows : this.#ends(rows, '')), ...places])
  }

  /** Shows all of it page by page. @returns false where the signal or the person closed the question */
  async page(signal: AbortSignal): Promise<boolean> {
    const { columns, rows: height } = this.#io
    const rows = this.#rows()
    const most = Math.max(1, height - rowsOf(widthOf(promptOf(rows.length, rows.length, rows.length)), columns))
    for (let at = 0; at < rows.length; at += most) {
      const end = Math.min(at + most, rows.length)
      this.#print(rows.slice(at, end))
      const answer = await askLine(this.#io, promptOf(at + 1, end, rows.length), signal)
      if (answer === undefined) return false
      if (this.#io.columns !== columns || this.#io.rows !== height) return this.page(signal)
      if (end < rows.length && answer.trim().toLowerCase() === 'q') return true
    }
    this.#isPaged = true
    return true
  }

  /** Rows that the screen has beside the places and the question. */
  get #room(): number {
    const { rows, columns } = this.#io
    return rows - this.#placeRows().length - rowsOf(this.#question, columns)
  }

  /** Reckoned once for a width: a call may be megabytes long. */
  #rows(): string[] {
    const { columns } = this.#io
    if (this.#reckoned?.columns !== columns) this.#reckoned = { columns, rows: this.#toRows() }
    return this.#reckoned.rows
  }

  #toRows(): string[] {
    const { paint, columns } = this.#io
    const [first = '', ...more] = toLines(this.#head, Math.max(2, columns - INDENT))
    return [
      paint.bold(first),
      ...more.map((line) => `    ${line}`),
      ...this.#text.split('\n').flatMap((line) => this.#behindBar(line)),
    ]
  }

  #behindBar(line: string): string[] {
    const { paint } = this.#io
    const paintOf = PLACE.test(line)
      ? paint.bold
      : line.startsWith('+')
        ? paint.green
        : line.startsWith('-')
          ? paint.red
          : String
    return behindBar(line, this.#io, paintOf)
  }

  /** The beginning and the end, with what lies between them. */
  #ends(rows: readonly string[], hint = ': v'): string[] {
    const kept = Math.max(2, this.#room - 1)
    const tail = Math.floor(kept / 2)
    const between = rows.length - kept
    const note = `⋮ ${between} ${between === 1 ? 'line' : 'lines'} not shown${hint}`
    return [...rows.slice(0, kept - tail), this.#io.paint.yellow(note), ...rows.slice(-tail)]
  }

  #placeRows(): string[] {
    const { columns, rows } = this.#io
    const width = Math.max(2, columns - INDENT - 1)
    const most = Math.max(1, Math.min(MOST_PLACE_ROWS, Math.floor(rows / 5)))
    const shown = this.#places.length > most ? this.#places.slice(0, Math.max(1, most - 1)) : this.#places
    const more = this.#places.length - shown.length
    const each = Math.max(1, Math.floor(most / Math.max(1, shown.length)))
    return [
      ...shown.flatMap((place) => this.#behindBar(fitMiddle(place, each * width))),
      ...(more > 0 ? this.#behindBar(`... and ${more} more`) : []),
      `  in ${fitEnd(this.#folder, Math.max(2, columns - INDENT - 1))}`,
    ]
  }

  #print(rows: readonly string[]): void {
    this.#io.show(`${rows.join('\n')}\n`)
  }
}

const promptOf = (from: number, to: number, all: number): string =>
  to < all ? `${from}-${to} of ${all}. Enter: more, q: back ` : `${from}-${to} of ${all}. Enter: to the question `

/** Rows of a terminal that a line takes, with what a person types after it. */
const rowsOf = (width: number, columns: number): number => Math.ceil((width + ANSWER) / columns)
