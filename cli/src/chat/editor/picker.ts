import type { Io } from '../../frame/io.ts'
import { fit } from '../../render/width.ts'
import type { Key } from '../../terminal/keys.ts'
import type { CursorAt } from '../../terminal/region.ts'
import { type Choice, filterChoices, renderMenu } from './menu.ts'
import { type Draft, EMPTY, edit, insert } from './text.ts'

/** One of several, found by typing. */
export class Picker<Value> {
  readonly #title: string
  readonly #choices: readonly Choice<Value>[]
  readonly #done: (value: Value | undefined) => void
  #filter: Draft = EMPTY
  #chosen = 0

  /** @param done is handed what was chosen; undefined where the person left */
  constructor(title: string, choices: readonly Choice<Value>[], done: (value: Value | undefined) => void) {
    this.#title = title
    this.#choices = choices
    this.#done = done
  }

  press({ name, text = '' }: Key): void {
    const found = this.#found
    if (name === 'escape' || name === 'ctrl-c' || name === 'ctrl-d') this.#done(undefined)
    else if (name === 'enter' || name === 'tab') {
      const choice = found[this.#chosen]
      if (choice !== undefined) this.#done(choice.value)
    } else if (name === 'up' || name === 'ctrl-p') this.#chosen = Math.max(0, this.#chosen - 1)
    else if (name === 'down' || name === 'ctrl-n') this.#chosen = Math.min(found.length - 1, this.#chosen + 1)
    else {
      const next = name === 'text' || name === 'paste' ? insert(this.#filter, text) : edit(this.#filter, name)
      if (next === undefined || next.text.includes('\n')) return
      if (next.text !== this.#filter.text) this.#chosen = 0
      this.#filter = next
    }
  }

  render(io: Pick<Io, 'columns' | 'rows' | 'paint'>): { lines: string[]; cursor: CursorAt } {
    const { columns, rows, paint } = io
    const found = this.#found
    const head = `${this.#title} `
    const menu =
      found.length === 0
        ? [paint.dim('  nothing fits: Backspace shows more, Esc leaves')]
        : renderMenu(found, this.#chosen, io, Math.max(1, Math.min(12, rows - 4)))
    const shown = fit(this.#filter.text, Math.max(2, columns - head.length - 3))
    const hint = paint.dim(fit('type to filter · Enter chooses · Esc leaves', columns - 2))
    return {
      lines: [`${paint.bold(head)}${shown}`, ...menu, hint],
      cursor: { line: 0, column: Math.min(columns - 2, head.length + shown.length) },
    }
  }

  get #found(): Choice<Value>[] {
    return this.#filter.text === '' ? [...this.#choices] : filterChoices(this.#choices, this.#filter.text)
  }
}
