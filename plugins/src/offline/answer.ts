import { type JsonSchema, NO_ANSWER } from '@svc/core'
import type { Look } from './look.ts'
import { together } from './look.ts'
import type { OfferedTools } from './offered-tools.ts'
import { keepSupported, note, type Part, writeParts } from './question/cited-sentence.ts'
import { type Conversation, NOT_CALLED } from './question/conversation.ts'
import { readParts } from './question/parts.ts'
import { type Question, readQuestion } from './question/question.ts'
import { addManifestFacts, type Facts, toShape } from './question/structured.ts'
import { type Language, topicsIn } from './question/topics.ts'
import { readProblem } from './read/word-problems.ts'
import type { Finding, Skill } from './skill.ts'
import { architecture } from './skills/architecture/architecture.ts'
import { arithmetic } from './skills/arithmetic.ts'
import { closest } from './skills/closest.ts'
import { count } from './skills/count/count.ts'
import { countNamed } from './skills/count/count-named.ts'
import { decline } from './skills/decline.ts'
import { defaultValue } from './skills/default-value.ts'
import { describePackage, facts } from './skills/facts.ts'
import { locate } from './skills/locate.ts'
import { memory } from './skills/memory.ts'
import { named } from './skills/named.ts'
import { setting } from './skills/setting.ts'
import { useTool } from './skills/use-tool.ts'
import { combine, decide, IN_PART, isNoAnswer, REVIEW, readGathering, sayUnanswered } from './team.ts'
import { ToolSession } from './tool-session.ts'

/** The first that understands a part of a task answers it; what none understands is searched for. */
const SKILLS: readonly Skill[] = [
  useTool,
  memory,
  arithmetic,
  decline,
  count,
  countNamed,
  architecture,
  facts,
  setting,
  defaultValue,
  named,
  locate,
]

/** Parts that are answered at once, each by itself; those beyond are named as not answered. */
const MOST_PARTS = 12
const ASKS = /^(?:what|which|where|who|why|when|how|is|are|does|do|can)\b|\?$/i

/** The answer to a conversation, in as many looks as it needs. */
export function* answer(conversation: Conversation, tools: OfferedTools, schema: JsonSchema | undefined): Look<string> {
  const { objective, results } = conversation
  const session = new ToolSession(readQuestion(objective), tools, conversation)
  const gathering = readGathering(objective, results)
  if (gathering === 'review') return REVIEW
  const isLast = gathering === 'combine' || (gathering === undefined && results.length > 0 && tools.specs.length === 0)
  if (gathering === 'decide' || isLast) {
    const gathered = gathering === 'decide' ? decide(results) : combine(results, partsOf(objective, tools))
    return schema ? shape(schema, {}, gathered) : gathered
  }
  if (BRIEF.test(objective)) return `${BRIEFING}\n${finish(session, yield* describePackage(session))}`
  const answered = yield* answerAll(objective, tools, conversation)
  if (schema) return shape(schema, yield* addManifestFacts(session, schema, answered.facts), answered.text)
  const named =
    conversation.isPart && isNoAnswer(answered.text) ? sayUnanswered(objective, answered.text) : answered.text
  return withEarlier(named, results, objective)
}

/** Answers all that a text asks; says which part has no answer. */
function* answerAll(text: string, tools: OfferedTools, given: Conversation): Look<{ text: string; facts: Facts }> {
  const questions = readQuestions(text, tools)
  const answers = yield* together(
    questions.slice(0, MOST_PARTS).map((question) => answerOne(new ToolSession(question, tools, given))),
  )
  const texts = answers.map((one) => one.text)
  for (const _ of questions.slice(MOST_PARTS))
    texts.push(`${NO_ANSWER}: I answer at most ${MOST_PARTS} questions of a task at once.`)
  const asked = questions.map((question) => question.text)
  return {
    text: texts.length === 1 ? (texts[0] ?? '') : combine(texts, asked),
    facts: Object.assign({}, ...answers.map((one) => one.facts)),
  }
}

function* answerOne(session: ToolSession): Look<{ text: string; facts: Facts }> {
  const { question, tools } = session
  let finding: Finding | undefined
  for (const skill of SKILLS) {
    if (finding === undefined && skill.asks(question, tools)) finding = yield* skill.work(session)
  }
  finding ??= yield* closest(session)
  return { text: finish(session, finding), facts: finding.facts ?? {} }
}

/** "Prepare the handover: how many files are there?": what comes before a question that stands by itself. */
const LEAD =
  /^(?=\S+ \S)[^:?`"\n]{1,60}: +(?=(?:what|which|where|who|how)\b(?![^?\n]*\b(?:it|its|they|them|their|that|this|one)\b))/i

/** What a text asks, each part by itself where it asks for several things; what only tells something is left out. */
function readQuestions(whole: string, tools: OfferedTools): Question[] {
  if (readProblem(whole) !== undefined) return [readQuestion(whole)]
  const text = whole.replace(LEAD, '')
  const parts = readParts(text).map((part) => ({ question: readQuestion(part.text), isAsked: part.isAsked }))
  const [first = ''] = text.split('\n')
  // an order below the first line may be a line of what came with the question
  const isOrder = (skill: Skill, question: Question): boolean => skill === decline && !first.includes(question.text)
  // a sentence that names something need not ask for it
  const isLoose = (skill: Skill, { topics }: Question): boolean => skill === named && !topics.has('summary')
  const isKnown = (question: Question): boolean =>
    SKILLS.some((skill) => skill.asks(question, tools) && !isOrder(skill, question) && !isLoose(skill, question))
  // "in a nutshell", "which file?": such a part says nothing by itself
  if (parts.some(({ question, isAsked }) => (isAsked || ASKS.test(question.text)) && !hasContent(question)))
    return [readQuestion(text)]
  // "I want to change a.ts. Who imports it?"
  const start = parts.findIndex(({ question }) => isNaming(question))
  const isCarriedOn = ({ question }: { question: Question }, index: number): boolean =>
    index > 0 &&
    REFERS.test(question.text) &&
    !isNaming(question) &&
    question.rest.length <= 1 &&
    ((start >= 0 && index > start) || [...question.topics].every((topic) => EMPTY.has(topic)))
  if (parts.some(isCarriedOn)) return [readQuestion(text)]
  const asked = parts.filter(({ question, isAsked }) => isAsked || ASKS.test(question.text) || isKnown(question))
  const isCalculated = parts.length > 1 && asked.some(({ question }) => arithmetic.asks(question, tools))
  return asked.length > 1 || (asked.length === 1 && isCalculated)
    ? asked.map(({ question }) => question)
    : [readQuestion(text)]
}

/** Whether it calls something by a name. */
const isNaming = ({ identifiers, paths, quoted, rest }: Question): boolean =>
  identifiers.length + paths.length + quoted.length > 0 || rest.some((word) => /\w-\w/.test(word))

const EMPTY = topicsIn('where purpose self file how summary defined uses needs option count effect default')

const hasContent = ({ topics, rest, identifiers, paths, quoted }: Question): boolean =>
  rest.length + identifiers.length + paths.length + quoted.length > 0 ||
  [...topics].some((topic) => !EMPTY.has(topic)) ||
  (topics.has('count') && topics.has('file'))

/** What stands for a name that was said before. */
const REFERS =
  /(?<!\p{L})(?:it|its|they|them|their|that|this|these|each|er|sie|es|ihn|dafür|damit|il|elle|le|la|les)(?!\p{L})|それ|これ/iu

const BRIEF = /^brief the agents\b/i
/** The first line of a brief, by which those who get it know that it is none of the answer. */
const BRIEFING = 'What the workspace is, for those who work on the parts:'

/** A step that follows others continues what they found: the last one's answer is the answer to all. */
function withEarlier(text: string, results: readonly string[], asked: string): string {
  const earlier = results.filter((result) => !result.startsWith(BRIEFING))
  return earlier.length === 0 ? text : combine([...earlier, text], [...earlier.map(() => undefined), asked])
}

/** What the parts of a task asked that are to be combined, where its text shows as many parts as there are results. */
function partsOf(objective: string, tools: OfferedTools): string[] {
  const task = /^Combine\b[^:\n]{0,80}: ([\s\S]+)$/.exec(objective)?.[1]
  return task === undefined ? [] : readQuestions(task, tools).map(({ text }) => text)
}

const NO_TOOLS = 'I was offered no tools, so I could look at nothing and found nothing.'
/** What the first line of passages says, beyond that they are no answer. */
const CLOSEST: Readonly<Record<Language, string>> = {
  en: 'I found no direct answer; these passages come closest:',
  de: 'Ich habe keine direkte Antwort gefunden; diese Stellen kommen ihr am nächsten:',
  fr: "Je n'ai pas trouvé de réponse directe ; ces passages s'en approchent le plus :",
  ja: '直接の答えは見つかりませんでした。最も近い箇所は次のとおりです:',
}
const NOTHING = 'I found nothing in the workspace that answers this.'

/** What may be said, as text, opened by saying so where it is no answer; then what a tool refused. */
function finish(session: ToolSession, { parts, missing = false }: Finding): string {
  const kept: Part[] = keepSupported(parts, session.evidence)
  const isBare = kept.every(({ kind }) => kind === 'note')
  const problems = [...session.problems].sort().slice(0, 3)
  const omitted = [...session.omitted].sort().slice(0, 5)
  if (omitted.length > 0) problems.push(`I could not look everywhere: the tools ${omitted.join('; they ')}.`)
  if (session.isCutShort && missing) problems.push(`I could not look at all that I wanted to: ${NOT_CALLED}.`)
  if (session.tools.specs.length === 0 && session.context === undefined && isBare) return `${NO_ANSWER}: ${NO_TOOLS}`
  const text = writeParts([...(kept.length > 0 ? kept : [note(NOTHING)]), ...problems.map(note)])
  if (!missing && kept.length > 0) return text
  return `${NO_ANSWER}${isBare ? ': ' : `. ${CLOSEST[session.question.language]}\n\n`}${text}`
}

function shape(schema: JsonSchema, facts: Facts, text: string): string {
  if (text.startsWith(NO_ANSWER) && !text.startsWith(IN_PART)) return text
  const value = toShape(schema, facts, text)
  if (value !== undefined) return JSON.stringify(value)
  return `${NO_ANSWER} in the shape asked for: what I found does not fill it, and I make nothing up.\n\n${text}`
}
