import { type JsonSchema, NO_ANSWER } from '@svc/core'
import { isStopWord } from '@svc/core/text'
import { chooseSkills } from './choose-skills.ts'
import { keepSupported, note, type Part, writeParts } from './claim.ts'
import { type Conversation, NOT_CALLED } from './conversation.ts'
import type { Look } from './look.ts'
import { together } from './look.ts'
import type { OfferedTools } from './offered-tools.ts'
import { type Question, readQuestion } from './question.ts'
import { isCalculating, readExpression } from './read/expressions.ts'
import { readParts, type TaskPart } from './read/parts.ts'
import type { Finding } from './skill.ts'
import { asksForAction, asksToCompose, NEEDS_MODEL } from './skills/action.ts'
import { answerFreely } from './skills/free.ts'
import { purpose } from './skills/purpose.ts'
import {
  combine,
  decide,
  IN_PART,
  isNoAnswer,
  readGathering,
  review,
  sayOpen,
  sayUnanswered,
} from './skills/synthesis.ts'
import { declineWriting, readWriting, type Writing, writeAnswer } from './skills/write.ts'
import { addManifestFacts, type Facts, toShape } from './structured.ts'
import { ToolSession } from './tool-session.ts'

/** The answer to a conversation, in as many looks as it needs. */
export function* answer(conversation: Conversation, tools: OfferedTools, schema: JsonSchema | undefined): Look<string> {
  const { objective, results } = conversation
  const gathering = readGathering(objective, results)
  const session = new ToolSession(readQuestion(pointBack(objective, results)), tools, conversation)
  if (gathering === 'review') return yield* review(session, results)
  const isLast = gathering === 'combine' || (gathering === undefined && results.length > 0 && tools.specs.length === 0)
  const gathered = isLast
    ? combine(results, partsOf(objective, tools))
    : gathering === 'decide'
      ? decide(results)
      : undefined
  if (gathered !== undefined) return schema ? shape(schema, {}, gathered) : gathered
  if (BRIEF.test(objective)) return `${BRIEFING}\n${finish(session, yield* purpose.work(session))}`
  const writing = readWriting(session.question)
  if (writing && writing.content === undefined && asksToCompose(writing.rest.text)) return NEEDS_MODEL
  if (writing) return yield* writeDown(session, writing, conversation)
  const { text, facts } = yield* answerAll(session.question.text, tools, conversation)
  if (!schema) {
    const named = conversation.isPart && isNoAnswer(text) ? sayUnanswered(session.question.text, text) : text
    return withEarlier(named, results, session.question.text)
  }
  return shape(schema, yield* addManifestFacts(session, schema, facts), text)
}

/** Puts what is given, or the answer to the rest of the question, into the file; declines where there is neither. */
function* writeDown(session: ToolSession, { path, content, rest }: Writing, conversation: Conversation): Look<string> {
  const { results } = conversation
  const isAnswerable = rest.text.endsWith('?') || chooseSkills(rest, session.tools).length > 0
  if (content !== undefined) {
    const answered = isAnswerable ? `${(yield* answerAll(rest.text, session.tools, conversation)).text}\n\n` : ''
    return `${answered}${finish(session, yield* writeAnswer(session, path, content))}`
  }
  if (!isAnswerable && (rest.text !== '' || results.length === 0)) return declineWriting(path)
  const found = rest.text === '' ? combine(results) : (yield* answerAll(rest.text, session.tools, conversation)).text
  const text = rest.text === '' ? found : withEarlier(found, results, rest.text)
  return `${text}\n\n${finish(session, yield* writeAnswer(session, path, `${text}\n`))}`
}

/** A question of a series; `isAsked` where its place says that it wants an answer. */
type Asked = Question & { readonly isAsked?: boolean }

/** Questions of a series; "it" in one of them is what an earlier one named. */
function carrySubject(parts: readonly TaskPart[]): Asked[] {
  let subject: string | undefined
  return parts.map(({ text: sentence, isAsked }) => {
    const question = readQuestion(sentence)
    const named = question.identifiers[0] ?? question.paths[0]
    if (named === undefined && subject !== undefined && /\b(?:it|its|they|there|them)\b/.test(question.lower))
      return { ...readQuestion(`${sentence} (\`${subject}\`)`), isAsked }
    subject = named ?? subject
    return { ...question, isAsked }
  })
}

/** Questions that are answered at once, each by itself; those beyond are named as not answered. */
const MOST_QUESTIONS = 12

/** What a text asks, each part by itself where it asks for several things. */
function readQuestions(text: string, tools: OfferedTools): Question[] {
  const all = carrySubject(readParts(text))
  // an order below a question may be a line of what came with it; in a list it is a part
  const ordering = LISTED.test(text) ? text : (text.split('\n')[0] ?? '')
  const asked = all
    .filter(
      (one) =>
        one.isAsked || /^(?:what|which|where|who|why|when|how)\b|\?$/i.test(one.text) || isKnown(one, tools, ordering),
    )
    .filter((one, index, others) => !(index > 0 && addsVersions(one) && asksForList(others[index - 1])))
    .filter((one, index, others) => !(index > 0 && asksForResult(one) && isCalculation(others[index - 1])))
  const isShorter =
    all.length > 1 &&
    (asked.some(({ text: one }) => readExpression(one) !== undefined) ||
      all.some((one) => addsVersions(one) || asksForResult(one)))
  return asked.length > 1 || (asked.length === 1 && isShorter) ? asked : [readQuestion(text)]
}

const LISTED = /^[ \t]{0,8}(?:[-*+•]|\(?\d{1,2}[.)])\s/m

const isKnown = (question: Question, tools: OfferedTools, ordering: string): boolean =>
  chooseSkills(question, tools).length > 0 || (ordering.includes(question.text) && asksForAction(question, tools))

/** Answers all that a text asks; says which part has no answer. */
function* answerAll(text: string, tools: OfferedTools, given: Conversation): Look<{ text: string; facts: Facts }> {
  const questions = readQuestions(text, tools)
  const answers = yield* together(
    questions.slice(0, MOST_QUESTIONS).map((question) => answerOne(new ToolSession(question, tools, given))),
  )
  const texts = answers.map((one) => one.text)
  for (const _ of questions.slice(MOST_QUESTIONS))
    texts.push(`${NO_ANSWER}: I answer at most ${MOST_QUESTIONS} questions of a task at once.`)
  return {
    text:
      questions.length === 1
        ? (texts[0] ?? '')
        : combine(
            texts,
            questions.map((question) => question.text),
          ),
    facts: Object.assign({}, ...answers.map((one) => one.facts)),
  }
}

/** "and which versions of them": the list before it says them already. */
const addsVersions = ({ lower, words }: Question): boolean =>
  /\b(?:them|they|their|those|these|each)\b/.test(lower) &&
  words.every((word) => isStopWord(word) || /^(?:versions?|ranges?|numbers?|which|what|do|have|need)$/.test(word))
const asksForList = (question: Question | undefined): boolean =>
  question !== undefined && /\bdependenc(?:y|ies)\b/.test(question.lower)

/** "What is the new price?" after the sentence that holds the numbers. */
const asksForResult = ({ text, identifiers, paths }: Question): boolean =>
  /^(?:what|how much)\b.{0,40}\b(?:new|final|result|remain|left|price|total|amount|cost|much)/i.test(text) &&
  !/\d/.test(text) &&
  identifiers.length + paths.length === 0
const isCalculation = (question: Question | undefined): boolean =>
  question !== undefined && isCalculating(question.text)

function* answerOne(session: ToolSession): Look<{ text: string; facts: Facts }> {
  if (asksForAction(session.question, session.tools)) return { text: NEEDS_MODEL, facts: {} }
  const finding = yield* work(session)
  return { text: finish(session, finding), facts: finding.facts ?? {} }
}

const BRIEF = /^brief the agents\b/i
/** The first line of a brief, by which those who get it know that it is none of the answer. */
const BRIEFING = 'What the workspace is, for those who work on the parts:'

/** A step that follows others carries on what they found: the last one's answer is the answer to all. */
function withEarlier(text: string, results: readonly string[], asked: string): string {
  const earlier = results.filter((result) => !result.startsWith(BRIEFING))
  return earlier.length === 0 ? text : combine([...earlier, text], [...earlier.map(() => undefined), asked])
}

/** What the parts of a task asked that are to be combined, where its text shows as many parts as there are results. */
function partsOf(objective: string, tools: OfferedTools): string[] {
  const task = /^Combine\b[^:\n]{0,80}: ([\s\S]+)$/.exec(objective)?.[1]
  return task === undefined ? [] : readQuestions(task, tools).map(({ text }) => text)
}

/** Tells what "it" is in "then summarise it": the first file that the results cite. */
function pointBack(objective: string, results: readonly string[]): string {
  const question = readQuestion(objective)
  const path = /\(([^\s():,]+):\d/.exec(results.join('\n'))?.[1]
  const isOpen = question.paths.length === 0 && question.identifiers.length === 0
  return path !== undefined && isOpen && /\b(?:it|that file|this file)\b/.test(question.lower)
    ? `${objective} (${path})`
    : objective
}

/** Every skill that the question asks for, side by side; a general search where none of them answers. */
function* work(session: ToolSession): Look<Finding> {
  const skills = chooseSkills(session.question, session.tools)
  const findings = yield* together(skills.map((skill) => skill.work(session)))
  const facts = Object.assign({}, ...findings.map((finding) => finding.facts ?? {}))
  const parts = findings.flatMap((finding) => finding.parts)
  const told = findings.filter((finding) => finding.answered)
  const open = findings.flatMap((finding) => finding.open ?? [])
  if (told.length > 0 && keepSupported(parts, session.evidence).length > 0)
    return { parts, facts, answered: true, missing: told.every((finding) => finding.missing === true), open }
  const free = yield* answerFreely(session)
  const { answered, missing = !answered } = free
  return { parts: [...parts, ...free.parts], facts: { ...free.facts, ...facts }, answered, missing }
}

/** What may be said, as text, opened by saying so where it is no answer or not all of it; then what a tool refused. */
function finish(session: ToolSession, finding: Finding): string {
  const text = writeFinding(session, finding)
  const { missing, open = [] } = finding
  if (missing !== true && open.length > 0) return [IN_PART, text, ...open.map((part) => sayOpen(part))].join('\n\n')
  if (missing !== true && text !== NOTHING && text !== NO_TOOLS) return text
  return `${NO_ANSWER}${text.startsWith('I ') ? ': ' : '. What comes nearest:\n\n'}${text}`
}

const NOTHING = 'I found nothing in the workspace that answers this.'
const NO_TOOLS = 'I was offered no tools, so I could look at nothing and found nothing.'

function writeFinding(session: ToolSession, finding: Finding): string {
  const parts: Part[] = keepSupported(finding.parts, session.evidence)
  const problems = [...session.problems].sort().slice(0, 3)
  const omitted = [...session.omitted].sort().slice(0, 5)
  if (omitted.length > 0) problems.push(`I could not look everywhere: the tools ${omitted.join('; they ')}.`)
  if (session.isCutShort && finding.missing === true)
    problems.push(`I could not look at all that I wanted to: ${NOT_CALLED}.`)
  if (session.tools.specs.length === 0 && session.context === undefined && parts.every((part) => part.kind === 'note'))
    return NO_TOOLS
  if (parts.length === 0 && problems.length === 0) parts.push(note(NOTHING))
  return writeParts([...parts, ...problems.map(note)])
}

function shape(schema: JsonSchema, facts: Facts, text: string): string {
  if (text.startsWith(NO_ANSWER) && !text.startsWith(IN_PART)) return text
  const value = toShape(schema, facts, text)
  if (value !== undefined) return JSON.stringify(value)
  return `${NO_ANSWER} in the shape asked for: what I found does not fill it, and I make nothing up.\n\n${text}`
}
