import { type Call, toPlainText } from '../../../text/calls/call.ts'
import { excerpt, quoteList } from '../check.ts'
import type { Material } from '../material.ts'
import { countWords, normalise, withoutMarkup } from '../shape.ts'
import { findMisquoted, LEFT_OUT } from '../told/misquoted.ts'
import { evidenceOf, type Rule } from './rule.ts'

const CURLED = [/“([^”\n]{8,600})”/g, /«([^»\n]{8,600})»/g]
/** Between these signs stands code, whose own quotation marks look like the answer's. */
const CODE = /[{}[\]=;<>\\]|^[,:]|":/
const MIN_WORDS = 3
const SAYS = /\b(?:says?|said|states?|reads?|writes|according to|quot(?:e|es|ing|ation)|promises|claims)\b/i
const SOURCE =
  /\b(?:it|file|readme|docs?|documentation|document|page|site|policy|licen[cs]e|contract|section|line|notes?|changelog|report|[\w-]{1,40}\.(?:md|txt|rst|json|ya?ml|toml|html?|ts|js|py|csv))\b/i
const OWN_WORDS =
  /\b(?:write|draft|compose|invent|suggest|propose|slogan|title|poem|story|email|letter|rephrase|rewrite|translate|paraphrase)\b/i

/** Every quotation of three words and more stands in the task or in what a tool returned, word for word. */
export const quotes: Rule = {
  id: 'quotes',
  trust: 0.9,
  lesson: {
    trigger: 'an answer that quotes its sources',
    cause: '3.3',
    advice: 'Quote only words that were read, exactly as they stand.',
  },
  hint: 'Quote word for word from what the tools returned, or say it without quotation marks.',
  hold({ text }, material) {
    const [misquoted] = findMisquoted(text, material.calls, () =>
      material.once('sayings', () => [
        material.sourceWords,
        ...material.calls.filter(({ status }) => status !== 'completed').flatMap(toSayings),
      ]),
    )
    if (misquoted !== undefined)
      return {
        verdict: 'contradicted',
        kind: 'quote',
        evidence: [evidenceOf(misquoted.call)],
        why: `the source says: "${excerpt(misquoted.source, 120)}"`,
      }
    const { grounded, sawOther, task } = material
    if (!grounded || sawOther || !/["“«]/.test(text) || OWN_WORDS.test(task.description)) return undefined
    // Unless everything must have been read, only words that are said to stand in a source can be false.
    if (!material.mustBeGrounded && !(SAYS.test(text) && SOURCE.test(text))) return undefined
    const parts = toQuotations(text).flatMap((quote) => quote.split(LEFT_OUT)).filter((part) => countWords(part) >= MIN_WORDS)
    const foreign = parts.filter((part) => !isIn(part, material))
    if (foreign.length === 0) return undefined
    return { verdict: 'contradicted', kind: 'quote', evidence: [], why: `no source has ${quoteList(foreign)}` }
  },
}

/** What the agent wanted to say by a call that did not go through is its own, and may be quoted. */
const toSayings = ({ args, text }: Call): string[] => [normalise(toPlainText(args)), normalise(text)]

/** Word for word, or as a page shows it: without the marks of Markdown and HTML. */
function isIn(part: string, material: Material): boolean {
  if (material.sourceWords.includes(normalise(part))) return true
  const shown = material.once('shown', () => normalise(withoutMarkup(material.sourceText)))
  return shown.includes(normalise(withoutMarkup(part)))
}

function toQuotations(text: string): string[] {
  const curled = CURLED.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''))
  const straight = text.split('\n').flatMap((line) => {
    const pieces = line.split('"')
    // An odd number of straight marks does not say which of them open.
    return pieces.length % 2 === 0 ? [] : pieces.filter((_, index) => index % 2 === 1)
  })
  return [...curled, ...straight].filter((piece) => piece.length >= 8 && piece.length <= 600 && !CODE.test(piece))
}
