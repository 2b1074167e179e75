/** Cuts one sentence into clauses that each ask for something else, by the few words that join such clauses. */
import { hasNewName, isNamed } from './things.ts'

export interface Joint {
  text: string
  /** Whether it says that it comes after the one before it. */
  isNext: boolean
}

const WORDS =
  /[ \n](?:(?:and|und|et)[ \n])?(then|afterwards|dann|danach|anschließend|puis|ensuite)[ \n]|[ \n](?:and|und|et)[ \n]/giu
/** Japanese joins clauses by the form of the verb before a comma. */
const COMMA = /(?<=[をはも].{0,200}[しいきぎちりてでびみえけげせめべれ])、/gu
/** Behind "and", these go on with the same clause: articles, prepositions, pronouns. */
const GOES_ON = new Set(
  `the a an of in on at for from to with without by its their this that these those
  der die das den dem des ein eine einen einem einer von vom mit ohne in im ins aus auf für über nach bei zu zum zur an am
  als wie auch nicht seine seinen ihre ihren deren dessen
  le la les un une des du de au aux en dans sur pour par avec sans ce cette ces son sa ses leur leurs que qui`.split(
    /\s+/,
  ),
)

/** What is one piece of work for all that it names: comparing, joining, reckoning. */
const RELATING =
  /\b(?:between|versus|vs|both|same|together|common|compar\w+|contrast\w*|differ\w*|relat(?:e|ion)\w*|merg\w+|combin\w+|concat\w+)\b|^(?:please )?(?:add|subtract|multiply|divide|join|append|swap|exchange|link|mix|unify|match|sync\w*|reconcile)\b|zwischen|vergleich|unterschied|beide|zusammen|gemeinsam|verbind|verein|kombinier|addier|multiplizier|tausch|verknüpf|differenz|\b(?:entre|ensemble|commun)|différence|fusionn|joi(?:nds|gn)|\breli|multipli|échang|違い|差|比較|結合|統合|合計|関係|間|マージ|連結|共通|合わせ/iu
export const areRelated = (text: string): boolean => RELATING.test(text)

const ASKS = `what|which|who|whom|whose|when|where|why|how|wie|wer|wen|wem|was|wann|wo|warum|wessen|welche[mnrs]?|combien|quels?|quelles?|qui|quand|où|pourquoi|comment`
const HAS_QUESTION = new RegExp(`(?<!\\S)(?:${ASKS}) \\S+ \\S`, 'iu')
const OPENS_QUESTION = new RegExp(`^(?:${ASKS}) \\S+ \\S`, 'iu')
/** Points back at what another clause is about. */
const POINTS_BACK =
  /(?<!\S)(?:it|its|they|their|them|this|that|these|those|er|sie|ihre?n?|seine?n?|diese[mnrs]?|ils?|elles?|ce|cela|son|sa|ses|leurs?)(?![\p{L}-])/iu

/** Whether a text asks for something of its own. */
export const asksAlone = (text: string): boolean => OPENS_QUESTION.test(text) && !POINTS_BACK.test(text)

/** The clauses of a text, each with a name or a question of its own; one where nothing joins such clauses. */
export function toJointClauses(text: string): Joint[] {
  if (areRelated(text)) return [{ text, isNext: false }]
  const clauses: Joint[] = []
  let start = 0
  let isNext = false
  const joints = [...text.matchAll(WORDS), ...text.matchAll(COMMA)].sort((a, b) => a.index - b.index)
  for (const { 0: joint, 1: order, index } of joints) {
    const clause = text.slice(start, index)
    const rest = text.slice(index + joint.length)
    const opens = joint === '、' ? /[をはも]/.test(rest) : order !== undefined || opensClause(rest)
    const asks = HAS_QUESTION.test(clause) && asksAlone(rest)
    if (!asks && (!opens || !isNamed(clause) || !hasNewName(rest, [clause]))) continue
    clauses.push({ text: clause.trim().replace(/,$/, ''), isNext })
    start = index + joint.length
    isNext = order !== undefined
  }
  return [...clauses, { text: text.slice(start).trim(), isNext }]
}

/** Whether a text begins with a word in lower case that can be a verb, with something behind it. */
function opensClause(text: string): boolean {
  const word = /^(\p{Ll}+)\s+\S/u.exec(text)?.[1]
  return word !== undefined && !GOES_ON.has(word)
}
