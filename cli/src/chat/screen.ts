import { editText, ownEditor } from '../ask/own-editor.ts'
import type { Io } from '../frame/io.ts'
import { renderSaid } from '../render/said.ts'
import { BottomCanvas, type Canvas, type Frame } from '../terminal/canvas.ts'
import type { Key } from '../terminal/keys.ts'
import { composeInput, composeScreen } from './compose.ts'
import { History } from './editor/history.ts'
import { type Complete, Input } from './editor/input.ts'
import type { Choice } from './editor/menu.ts'
import { Picker } from './editor/picker.ts'
import type { Outbox } from './outbox.ts'
import type { ChatTerminal, Prompted } from './terminal.ts'

export interface ScreenOptions {
  outbox: Outbox
  complete: Complete
  /** What stands below the text that is typed: the model, for one. */
  footer(): string
  /** Ctrl-O. */
  onDetails(): void
}

/** The terminal of a conversation: what a person types at the bottom, above it what goes on, and above that all that was said. */
export class ChatScreen implements Canvas, ChatTerminal {
  readonly #io: Io
  readonly #options: ScreenOptions
  readonly #history: History
  readonly #input: Input
  readonly #canvas: BottomCanvas
  readonly #outbox: Outbox
  #picker: Picker<never> | undefined
  #next: ((prompted: Prompted) => void) | undefined
  #isLeaving = false
  #hasEnded = false
  /** Of the turn at work. */
  #onStop: ((key: string) => void) | undefined

  constructor(io: Io, options: ScreenOptions) {
    this.#io = io
    this.#options = options
    this.#outbox = options.outbox
    this.#history = new History(io)
    this.#input = new Input(this.#history, options.complete, () => this.refresh())
    this.#canvas = new BottomCanvas(io, {
      onKey: (key) => this.#press(key),
      onEnd: () => this.#hangUp(),
      compose: (frame) =>
        composeScreen(
          io,
          frame,
          this.#outbox.lines,
          this.#picker?.render(io) ?? composeInput(io, this.#input, this.#hint),
        ),
    })
  }

  open(): void {
    this.#canvas.open()
  }

  close(): void {
    this.#canvas.close()
  }

  prompt(): Promise<Prompted> {
    const waiting = this.#outbox.next()
    if (waiting !== undefined) return Promise.resolve(this.#say(waiting))
    if (this.#hasEnded) return Promise.resolve('end')
    this.refresh()
    return new Promise((resolve) => {
      this.#next = resolve
    })
  }

  async work<T>(turn: () => Promise<T>, onStop: (key: string) => void): Promise<T> {
    this.#onStop = onStop
    try {
      return await turn()
    } finally {
      this.#onStop = undefined
      this.refresh()
    }
  }

  /** They stand there to be changed, before what is typed. */
  giveBack(texts: readonly string[]): void {
    if (texts.length === 0) return
    this.#input.set([...texts, this.#input.draft.text].filter((text) => text !== '').join('\n'))
    this.refresh()
  }

  /** Lets the person choose. @returns undefined where they left */
  async choose<Value>(title: string, choices: readonly Choice<Value>[]): Promise<Value | undefined> {
    try {
      return await new Promise<Value | undefined>((resolve) => {
        this.#picker = new Picker(title, choices, resolve) as unknown as Picker<never>
        this.refresh()
      })
    } finally {
      this.#picker = undefined
      this.refresh()
    }
  }

  /** Writes the text with the person's own editor. */
  async edit(text: string): Promise<void> {
    const editor = ownEditor(this.#io.env) || 'vi'
    const written = await this.pause(() => editText(editor, text, { name: 'task.md', folder: process.cwd() }))
    if (written === undefined)
      this.#io.err(`${this.#io.paint.red('svc:')} the editor ${editor} did not end well: the text stays\n`)
    else this.#input.set(written.replace(/\r\n?/g, '\n').replace(/\n$/, ''))
    this.refresh()
  }

  attach(frame: Frame): void {
    this.#canvas.attach(frame)
  }

  detach(): void {
    this.#canvas.detach()
  }

  refresh(): void {
    this.#canvas.refresh()
  }

  pause<T>(work: () => Promise<T>): Promise<T> {
    return this.#canvas.pause(work)
  }

  #press(key: Key): void {
    const { name } = key
    const wasLeaving = this.#isLeaving
    this.#isLeaving = false
    if (this.#picker !== undefined) this.#picker.press(key)
    else if (name === 'ctrl-o') this.#options.onDetails()
    else if (name === 'ctrl-l') process.stderr.write('\u001b[H\u001b[2J')
    else if (name === 'ctrl-g' && !this.#input.isOpen) void this.edit(this.#input.draft.text)
    else if (name === 'ctrl-c') this.#interrupt(wasLeaving)
    else if (name === 'escape' && !this.#input.isOpen && this.#onStop !== undefined) this.#stop(name)
    else if (name === 'ctrl-d' && this.#input.draft.text === '') this.#leave('end')
    else if (name === 'up' && this.#input.draft.text === '' && !this.#input.isOpen && this.#outbox.hasQueued)
      this.#input.set(this.#outbox.takeBack() ?? '')
    else if (name === 'tab' && this.#onStop !== undefined && !this.#input.mayComplete)
      this.#send(this.#input.take(), true)
    else this.#send(this.#input.press(key))
    this.refresh()
  }

  /** @param waits whether it is a turn of its own; a command always is */
  #send(text: string | undefined, waits = false): void {
    if (text === undefined) return
    this.#history.add(text)
    const next = this.#next
    this.#next = undefined
    if (next === undefined) this.#outbox.put(text, waits)
    else next(this.#say(text))
  }

  /** What was asked stays above the answer. */
  #say(text: string): Prompted {
    this.#io.err(`\n${renderSaid(text, this.#io)}`)
    return { text }
  }

  #interrupt(wasLeaving: boolean): void {
    if (this.#input.isOpen || this.#input.draft.text !== '') this.#input.set('')
    else if (this.#onStop !== undefined) this.#stop('ctrl-c')
    else if (wasLeaving) this.#leave('interrupt')
    else this.#isLeaving = true
  }

  /** What waits was said in the belief that the turn goes on: it comes back to be changed. */
  #stop(key: string): void {
    this.giveBack(this.#outbox.stop())
    this.#onStop?.(key)
  }

  #leave(how: 'end' | 'interrupt'): void {
    const next = this.#next
    this.#next = undefined
    next?.(how)
  }

  /** The terminal is gone: nothing more can be asked. */
  #hangUp(): void {
    this.#hasEnded = true
    this.#outbox.stop()
    this.#leave('end')
  }

  get #hint(): string {
    if (this.#isLeaving) return 'Ctrl-C again leaves'
    if (this.#onStop === undefined) return this.#options.footer()
    const keys = this.#outbox.isSending ? ['Enter tells the run', 'Tab queues'] : ['Enter queues']
    const back = this.#outbox.hasQueued ? ['Up takes it back'] : []
    return [...keys, ...back, 'Ctrl-O last call'].join(' · ')
  }
}
