import type { Io } from '../frame/io.ts'
import { type Keyboard, openKeyboard } from './keyboard.ts'
import type { Key } from './keys.ts'
import { type CursorAt, openRegion, type Region } from './region.ts'
import { silenceKeyboard } from './silence.ts'

/** At most so many redraws a second. */
const FRAME_MS = 80

/** Lines of what is going on, for so many columns and rows. */
export type Frame = (columns: number, rows: number) => readonly string[]

/** Where a display draws: the bottom of the terminal, alone or above what a person types. */
export interface Canvas {
  /** Shows what a function answers, again and again, until it is taken away. */
  attach(frame: Frame): void
  /** Draws soon. */
  refresh(): void
  detach(): void
  /** Gives the terminal to somebody else meanwhile. */
  pause<T>(work: () => Promise<T>): Promise<T>
}

type Terminal = Pick<Io, 'columns' | 'rows' | 'isInteractive'>

/** What a canvas of its own does with keys, and shows beside the frame. */
export interface CanvasOptions {
  /** Absent: keys are not read, and wait for the program that reads next. */
  onKey?(key: Key): void
  onEnd?(): void
  /** All lines, from those of what is attached. */
  compose?(frame: Frame | undefined): { lines: readonly string[]; cursor?: CursorAt | undefined }
}

/** The bottom of the terminal. It is open while something is attached, or until `close` where it was opened by hand. */
export class BottomCanvas implements Canvas {
  readonly #io: Terminal
  readonly #options: CanvasOptions
  #frame: Frame | undefined
  #region: Region | undefined
  #keyboard: Keyboard | undefined
  #timer: NodeJS.Timeout | undefined
  #pauses = 0
  #isKept = false
  #isDue = false
  readonly #onResize = (): void => this.draw()
  readonly #onStop = (): void => this.#suspend()

  constructor(io: Terminal, options: CanvasOptions = {}) {
    this.#io = io
    this.#options = options
  }

  /** Opens it, also while nothing is attached. */
  open(): void {
    this.#isKept = true
    this.#enter()
    this.draw()
  }

  close(): void {
    this.#isKept = false
    this.#frame = undefined
    this.#leave()
  }

  attach(frame: Frame): void {
    this.#frame = frame
    if (this.#pauses > 0) return
    this.#enter()
    this.#timer ??= setInterval(() => this.draw(), FRAME_MS)
  }

  detach(): void {
    this.#frame = undefined
    clearInterval(this.#timer)
    this.#timer = undefined
    if (this.#pauses > 0) return
    if (this.#isKept) this.draw()
    else this.#leave()
  }

  async pause<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses++
    this.#leave()
    try {
      return await work()
    } finally {
      this.#pauses--
      this.#comeBack()
    }
  }

  refresh(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.draw()
    })
  }

  draw(): void {
    if (this.#region === undefined) return
    const { columns, rows } = this.#io
    const { lines, cursor } = this.#options.compose?.(this.#frame) ?? { lines: this.#frame?.(columns, rows) ?? [] }
    this.#region.draw(lines, cursor)
  }

  #enter(): void {
    if (this.#region !== undefined) return
    const { onKey, onEnd = () => {} } = this.#options
    const hear = (key: Key): void => (key.name === 'ctrl-z' ? this.#suspend() : onKey?.(key))
    // The keyboard prints marks of its own, which are nothing to be kept.
    if (this.#io.isInteractive) this.#keyboard = onKey === undefined ? silenceKeyboard() : openKeyboard(hear, onEnd)
    process.on('SIGTSTP', this.#onStop)
    this.#region = openRegion(this.#io)
    process.stderr.on('resize', this.#onResize)
  }

  /** Ctrl-Z, as a key or as a signal, stops the process until the shell wants it again. */
  #suspend(): void {
    this.#pauses++
    this.#leave()
    // A signal that is waited for keeps no process alive.
    const alive = setInterval(() => {}, 2 ** 30)
    process.once('SIGCONT', () => {
      clearInterval(alive)
      this.#pauses--
      this.#comeBack()
    })
    process.kill(process.pid, 'SIGTSTP')
  }

  #comeBack(): void {
    if (this.#pauses > 0) return
    if (this.#isKept) this.open()
    if (this.#frame !== undefined) this.attach(this.#frame)
  }

  #leave(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    process.stderr.off('resize', this.#onResize)
    process.off('SIGTSTP', this.#onStop)
    this.#region?.close()
    this.#region = undefined
    this.#keyboard?.close()
    this.#keyboard = undefined
  }
}
