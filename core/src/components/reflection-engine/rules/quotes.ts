import { toPlainText } from '../../../text/calls/call.ts'
import { findUrls } from '../../../text/calls/urls.ts'
import { excerpt, toSentences, toWords } from '../../../text/index.ts'
import { contradict, type Holding, type Rule } from '../check.ts'
import { toTokens } from '../figures/figures.ts'
import type { Material } from '../material.ts'
import { accept } from '../reader/accept.ts'
import { evidenceOf, LEFT_OUT } from '../reader/evidence.ts'
import { QUOTED, TEXTS } from '../told/language.ts'

/** Of fewer words too many are alike. */
const FEWEST_WORDS = 3
/** As much as these words: six signs of Japanese. */
const JAPANESE = /[぀-ヿ一-鿿]{6}/u
/** From this share of its words on a sentence is the one that was meant. */
const MEANT_FROM = 0.5
const MAX_QUOTES = 50
const ASKS_FOR_ADDRESS =
  /\b(?:where on|which (?:page|site|url|address|link)|(?:url|address|link) (?:of|to|for)|links?)\b/i
const EXAMPLE =
  /\/\/(?:localhost|127\.|0\.0\.0\.0|\[::1\]|(?:[\w-]+\.)*example\.(?:com|org|net)(?:[:/]|$)|[\w-]+\.(?:test|invalid|local)(?:[:/]|$))/

/** Every quotation stands in what was read or in the task, word for word; where all must have been read, every address. */
export const quotes: Rule = ({ text, leaf, block }, material) => {
  if (leaf !== undefined || block !== undefined) return undefined
  const isBlock = text.startsWith('>')
  const quoted = isBlock
    ? toSentences(text.slice(1))
    : [...text.matchAll(QUOTED)].slice(0, MAX_QUOTES).map((match) => match.slice(1).find(Boolean) ?? '')
  const parts = quoted.flatMap((quote) => quote.split(LEFT_OUT))
  const long = parts.filter((part) => toWords(part).length >= FEWEST_WORDS || JAPANESE.test(part))
  const foreign = long.filter((part) => !isSaid(part, material))
  if (foreign.length > 0) return misquoted(foreign, material)
  if (!isBlock) return foreignAddress(text, material)
  return long.length === parts.length ? findRead(text, parts, material) : undefined
}

/** The piece of the evidence that shows a quotation: no agent wrote it there. */
async function findRead(text: string, parts: readonly string[], material: Material): Promise<Holding | undefined> {
  const evidence = evidenceOf(material)
  for (const [number, { call }] of evidence.items.entries()) {
    if (call === undefined) continue
    const quotes = parts.map((words) => ({ evidence: number + 1, words }))
    const holding = await accept({ text }, { statement: 1, verdict: 'held', quotes }, evidence)
    if (holding !== undefined) return holding
  }
  return undefined
}

/** A web address that no source has. Without the promise that all was read it may be of general knowledge. */
function foreignAddress(text: string, material: Material): Holding | undefined {
  const urls = findUrls(text)
  if (urls.length === 0 || !material.isWhole) return undefined
  const { task, mustBeGrounded, sourceText } = material
  const isPromised = mustBeGrounded || ASKS_FOR_ADDRESS.test(task.description)
  const bare = (url: string): string =>
    (url.toLowerCase().split('#', 1)[0] ?? '').replace(/^https?:\/\/(?:www\.)?|\/$/g, '')
  const foreign = (isPromised ? urls : []).find(
    (url) => !EXAMPLE.test(url) && !sourceText.toLowerCase().includes(bare(url)),
  )
  return foreign === undefined ? undefined : contradict('quote', `no source has "${foreign}"`)
}

/** Not word for word what the source has that it must mean; or, where all must have been read, in no source at all. */
function misquoted(foreign: readonly string[], material: Material): Holding | undefined {
  const { isWhole, task, grounded, sawOther, mustBeGrounded, done, once } = material
  if (!isWhole || TEXTS.test(task.description) || !material.mayLook('quotes', foreign.length)) return undefined
  const sentences = once('sentences', () =>
    done
      .filter(({ acts, runs }) => !acts || runs)
      .flatMap((call) => toSentences(call.text).map((said) => ({ call, said, words: new Set(toTokens(said)) }))),
  )
  for (const words of foreign.map((part) => [...new Set(toTokens(part))])) {
    const shares = sentences.map((source) => words.filter((word) => source.words.has(word)).length / words.length)
    const best = shares.reduce((most, share) => Math.max(most, share), 0)
    const meant = words.length >= FEWEST_WORDS && best >= MEANT_FROM ? sentences[shares.indexOf(best)] : undefined
    if (meant) return contradict('quote', `the source says: "${excerpt(meant.said, 120)}"`, meant.call)
  }
  return grounded && mustBeGrounded && !sawOther
    ? contradict('quote', `no source has "${excerpt(foreign.join('", "'), 160)}"`)
    : undefined
}

/** White space, punctuation, case, and marks of Markdown, HTML and comments do not matter. */
const plain = (text: string): string =>
  ` ${toWords(text.replace(/<\/?[a-z][^<>\n]{0,300}>|\]\([^()\s]{0,1000}\)|[*`_[\]]/gi, '')).join(' ')} `

/** Whether words stand in a source, or in what the agent wanted to say by a call that did not go through. */
function isSaid(part: string, { once, sourceText, calls }: Material): boolean {
  const known = once('sayings', () => plain([sourceText, ...calls.map(({ args }) => toPlainText(args))].join('\n')))
  return known.includes(JAPANESE.test(part) ? plain(part).trim() : plain(part))
}
