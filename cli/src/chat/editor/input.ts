import type { Io } from '../../frame/io.ts'
import { fit } from '../../render/width.ts'
import type { Key } from '../../terminal/keys.ts'
import type { CursorAt } from '../../terminal/region.ts'
import type { History } from './history.ts'
import { layOut } from './layout.ts'
import { type Choice, renderMenu } from './menu.ts'
import { type Draft, draftOf, EMPTY, edit, insert } from './text.ts'

/** What fits the word at the cursor, and where that word begins. */
export interface Completion {
  from: number
  choices: readonly Choice[]
}

/** Answers what fits the word before the cursor. */
export type Complete = (text: string, cursor: number) => Promise<Completion | undefined>

const MENU_ROWS = 6

/** The text that a person types, with what completes it, and the earlier ones under the arrow keys and Ctrl-R. */
export class Input {
  readonly #history: History
  readonly #complete: Complete
  readonly #onChange: () => void
  draft: Draft = EMPTY
  #menu: (Completion & { chosen: number }) | undefined
  #search: { words: Draft; at: number | undefined } | undefined
  /** Which earlier text stands there: 0 is the newest. */
  #earlier: number | undefined
  #own = ''
  #asked = 0

  constructor(history: History, complete: Complete, onChange: () => void) {
    this.#history = history
    this.#complete = complete
    this.#onChange = onChange
  }

  /** Whether Escape and Ctrl-C have something to close here. */
  get isOpen(): boolean {
    return this.#menu !== undefined || this.#search !== undefined
  }

  /** Whether Tab chooses what completes the word at the cursor: a command or a file. */
  get mayComplete(): boolean {
    const { text, cursor } = this.draft
    return this.isOpen || /^\/\S*$|(?:^|\s)@\S*$/.test(text.slice(0, cursor))
  }

  set(text: string): void {
    this.draft = draftOf(text, this.draft.cut)
    this.#close()
  }

  /** Takes a key. @returns the text once it is to be sent */
  press({ name, text = '' }: Key): string | undefined {
    if (this.#search !== undefined && this.#find(name, text)) return undefined
    if (this.#menu !== undefined && this.#pick(name)) return undefined
    if (name === 'enter') return this.#enter()
    if (name === 'escape') this.#close()
    else if (name === 'ctrl-r') this.#search = { words: EMPTY, at: undefined }
    else if (name === 'text' || name === 'paste') this.#change(insert(this.draft, text))
    else if (name === 'tab') this.#ask(true)
    else this.#edit(name)
    return undefined
  }

  /** Takes the text away, to be sent; undefined where there is none. */
  take(): string | undefined {
    const { text } = this.draft
    if (text.trim() === '') return undefined
    this.draft = EMPTY
    this.#close()
    this.#earlier = undefined
    return text
  }

  /** Rows of the text and what completes it. */
  render(
    io: Pick<Io, 'columns' | 'rows' | 'paint'>,
    prompt: string,
  ): { rows: string[]; at: CursorAt; below: string[] } {
    const { columns, paint } = io
    const most = Math.max(1, Math.floor(io.rows / 3))
    const width = Math.max(2, columns - prompt.length - 1)
    const { rows, at } = layOut(this.draft, width, most)
    const shown = rows.map((row, index) => (index === 0 ? paint.bold(prompt) : ' '.repeat(prompt.length)) + row)
    const place = { line: at.line, column: at.column + prompt.length }
    if (this.#search !== undefined) {
      const head = this.#search.at === undefined && this.#search.words.text !== '' ? 'nothing found: ' : 'search: '
      const line = `${head}${this.#search.words.text}`
      return { rows: shown, at: place, below: [paint.cyan(fit(line, columns - 2))] }
    }
    if (this.#menu === undefined) return { rows: shown, at: place, below: [] }
    const below = renderMenu(this.#menu.choices, this.#menu.chosen, io, Math.min(MENU_ROWS, Math.max(1, most)))
    return { rows: shown, at: place, below }
  }

  #enter(): string | undefined {
    const { text, cursor } = this.draft
    if (text.slice(0, cursor).endsWith('\\')) {
      this.#change(insert(edit(this.draft, 'backspace') ?? this.draft, '\n'))
      return undefined
    }
    return this.take()
  }

  #edit(name: string): void {
    const next = edit(this.draft, name)
    if (next === undefined) {
      if (name === 'up' || name === 'ctrl-p') this.#walk(1)
      else if (name === 'down' || name === 'ctrl-n') this.#walk(-1)
      return
    }
    if (next.text === this.draft.text) {
      this.draft = next
      this.#menu = undefined
    } else this.#change(next)
  }

  #change(next: Draft): void {
    this.draft = next
    this.#earlier = undefined
    this.#ask(false)
  }

  /** Looks for what completes the word at the cursor. */
  #ask(isWanted: boolean): void {
    const asked = ++this.#asked
    const { text, cursor } = this.draft
    if (!isWanted && !/[/@]/.test(text)) {
      this.#menu = undefined
      return
    }
    this.#complete(text, cursor).then(
      (found) => {
        if (asked !== this.#asked || this.draft.text !== text) return
        this.#menu = found === undefined || found.choices.length === 0 ? undefined : { ...found, chosen: 0 }
        this.#onChange()
      },
      () => {},
    )
  }

  /** A key for the menu. @returns false for one that is none of its own */
  #pick(name: string): boolean {
    const menu = this.#menu
    const { choices, chosen, from } = menu ?? { choices: [], chosen: 0, from: 0 }
    const { length } = choices
    if (menu === undefined) return false
    if (name === 'up' || name === 'ctrl-p') menu.chosen = (chosen + length - 1) % length
    else if (name === 'down' || name === 'ctrl-n') menu.chosen = (chosen + 1) % length
    else if (name === 'escape') this.#close()
    else if (name === 'tab' || name === 'enter') {
      const { text, cursor, cut } = this.draft
      const value = choices[chosen]?.value ?? ''
      const isThere = text.slice(from, cursor).trim() === value.trim()
      this.#close()
      if (isThere) return name === 'tab'
      const head = text.slice(0, from) + value
      this.draft = { text: head + text.slice(cursor), cursor: head.length, cut }
      // A command that needs nothing more is sent at once.
      return name === 'tab' || value.endsWith(' ') || !value.startsWith('/')
    } else return false
    return true
  }

  /** A key for the search. @returns false where it is closed, and the key is for the text */
  #find(name: string, typed: string): boolean {
    const search = this.#search
    if (search === undefined) return false
    if (name === 'escape' || name === 'ctrl-c' || name === 'ctrl-g') {
      this.#search = undefined
      return true
    }
    const words =
      name === 'text' || name === 'paste'
        ? insert(search.words, typed)
        : name === 'backspace'
          ? edit(search.words, name)
          : undefined
    if (words === undefined && name !== 'ctrl-r') {
      this.#search = undefined
      return name === 'enter' || name === 'tab'
    }
    search.words = words ?? search.words
    const from = name === 'ctrl-r' && search.at !== undefined ? search.at + 1 : 0
    const at = search.words.text === '' ? undefined : this.#history.find(search.words.text, from)
    if (at !== undefined || name !== 'ctrl-r') search.at = at
    if (at !== undefined) this.draft = draftOf(this.#history.texts[at] ?? '', this.draft.cut)
    return true
  }

  #walk(step: 1 | -1): void {
    const { texts } = this.#history
    const next = (this.#earlier ?? -1) + step
    if (next < -1 || next >= texts.length) return
    if (this.#earlier === undefined) this.#own = this.draft.text
    this.draft = draftOf(next === -1 ? this.#own : (texts[next] ?? ''), this.draft.cut)
    this.#earlier = next === -1 ? undefined : next
  }

  #close(): void {
    this.#menu = undefined
    this.#search = undefined
    this.#asked++
  }
}
