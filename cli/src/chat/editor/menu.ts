import { toShownText } from '@svc/core/client'
import type { Io } from '../../frame/io.ts'
import { fit, pad, widthOf } from '../../render/width.ts'

/** Something to choose. */
export interface Choice<Value = string> {
  label: string
  /** What it is, in a few words. */
  about?: string
  value: Value
}

const MOST_LABEL = 44

/** Choices as lines, at most so many, the chosen one marked; those around it where there are more. */
export function renderMenu(
  choices: readonly Choice<unknown>[],
  chosen: number,
  { columns, paint }: Pick<Io, 'columns' | 'paint'>,
  most: number,
): string[] {
  const width = Math.max(4, columns - 3)
  const first = Math.max(0, Math.min(chosen - Math.floor(most / 2), choices.length - most))
  const shown = choices.slice(first, first + most).map(({ label, about = '' }) => ({
    label: toShownText(label).replace(/\s+/g, ' '),
    about: toShownText(about).replace(/\s+/g, ' '),
  }))
  const column = Math.min(MOST_LABEL, Math.max(0, ...shown.map(({ label }) => widthOf(label))))
  return shown.map(({ label, about }, index) => {
    const isChosen = first + index === chosen
    const name = fit(label, Math.min(width, about === '' ? width : column))
    const room = width - column - 2
    const rest = about === '' || room < 8 ? '' : `  ${fit(about, room)}`
    const line = rest === '' ? name : pad(name, column)
    return isChosen ? `${paint.cyan('❯')} ${paint.bold(line)}${rest}` : `  ${line}${paint.dim(rest)}`
  })
}

/** Those that hold all words of a filter, those that begin so first. */
export function filterChoices<Value>(choices: readonly Choice<Value>[], filter: string): Choice<Value>[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const textOf = ({ label, about = '' }: Choice<Value>): string => `${label} ${about}`.toLowerCase()
  const found = choices.filter((choice) => words.every((word) => textOf(choice).includes(word)))
  const [first = ''] = words
  const isFirst = ({ label }: Choice<Value>): number => (label.toLowerCase().startsWith(first) ? 0 : 1)
  return found.sort((a, b) => isFirst(a) - isFirst(b))
}
