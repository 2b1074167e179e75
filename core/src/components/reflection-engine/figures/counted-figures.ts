import { toSentences } from '../../../text/sentences.ts'
import type { Material } from '../material.ts'
import { toLines, toListItems } from '../shape.ts'

/** How many more a tool says that there are. */
const MORE = /(\d[\d,]{0,12}) (?:more|further|other)\b/

/** What anybody can count again: list items of the answer; lines, files and folders of each tool result; calls. */
export function toCounts(material: Material): Set<number> {
  const counts = new Set<number>([toListItems(material.output).length])
  counts.add(material.done.length)
  for (const sentence of toSentences(material.prose)) {
    const commas = (sentence.match(/[,;]\s/g) ?? []).length
    if (commas > 0) for (const extra of [1, 2]) counts.add(commas + extra)
  }
  for (const call of material.done) {
    const all = toLines(call.text)
    const lines = all.length
    counts.add(lines).add(Math.max(0, lines - 1)) // with and without a head line
    const [, more = '0'] = MORE.exec(call.text.slice(-200)) ?? []
    const left = Number(more.replaceAll(',', ''))
    for (const shown of [lines, lines - 1, call.lastLine]) counts.add(shown + left)
    const folders = all.filter((line) => line.endsWith('/')).length
    if (folders > 0) counts.add(folders).add(lines - folders - (left > 0 ? 1 : 0))
  }
  return counts
}
