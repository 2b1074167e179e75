import { type Check, excerpt, fail, NOT_APPLICABLE } from '../check.ts'
import { isListItem } from '../shape.ts'

const DANGLING =
  /(?:[,([{–—]|\s[-&+=]|\b(?:the|a|an|and|or|of|to|in|with|for|by|from|that|which|is|are|was|were|as|at|on|because|if|than|its|their|this|be|not|but|into|has|have))$/i

/** The answer was not cut off: by the model's output limit, or visibly in the middle of a sentence. */
export const truncation: Check = {
  id: 'truncation',
  critical: false,
  strict: true,
  trust: 0.9,
  lesson: { trigger: 'a long answer', cause: '3.1', advice: 'Plan the length; give the answer in fewer words.' },
  look({ output, lastAnswer }) {
    if (lastAnswer?.finishReason === 'length') {
      return fail(
        `the output limit of the model cut the answer off at "${tailOf(output)}"`,
        'Give a shorter answer that is complete.',
      )
    }
    return isCutOff(output)
      ? fail(`the answer breaks off at "${tailOf(output)}"`, 'Finish the answer; make it shorter if it does not fit.')
      : NOT_APPLICABLE
  },
}

const tailOf = (output: string): string => excerpt(output.slice(-60))

function isCutOff(output: string): boolean {
  const text = output.trimEnd()
  if (text === '') return false
  if (text.includes('```')) {
    if (text.split('```').length % 2 === 0) return true
    if (text.endsWith('```')) return false
  }
  const last = text.slice(text.lastIndexOf('\n') + 1)
  if (last.length < 400 && /^\s*(?:\||>|#|\$|\/\/|--)/.test(last)) return false
  if (DANGLING.test(text.slice(-20)) && /\s\S+\s\S+/.test(last.slice(-200))) return true
  return breaksStyle(text, last)
}

/** Running text whose every other paragraph ends with a full stop, and whose last one does not. */
function breaksStyle(text: string, last: string): boolean {
  if (isListItem(last) || /[.!?:;。"”')\]*_`|>]$/.test(last) || !/\s\S+\s\S+\s/.test(last)) return false
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(?:#|\||>)/.test(line))
  const before = lines.slice(0, -1).filter((line) => !isListItem(line) && line.length > 40)
  const sentences = (last.match(/[.!?](?=\s+\p{Lu})/gu) ?? []).length
  return before.length + sentences >= 2 && before.every((line) => /[.!?:;"”')\]*_`]\s*$/.test(line.slice(-12)))
}
