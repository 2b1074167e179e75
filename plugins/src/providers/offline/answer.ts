import type { JsonSchema } from '@svc/core'
import { chooseSkills } from './choose-skills.ts'
import { keepSupported, note, type Part, writeParts } from './claim.ts'
import type { Conversation } from './conversation.ts'
import { Desk } from './desk.ts'
import type { Look } from './look.ts'
import { together } from './look.ts'
import type { OfferedTools } from './offered-tools.ts'
import { readQuestion } from './question.ts'
import type { Finding } from './skill.ts'
import { answerFreely } from './skills/free.ts'
import { purpose } from './skills/purpose.ts'
import { combine, decide, readGathering, review } from './skills/synthesis.ts'
import { readWriting, writeAnswer } from './skills/write.ts'
import { addManifestFacts, type Facts, toShape } from './structured.ts'

/** The answer to a conversation, in as many looks as it needs. */
export function* answer(conversation: Conversation, tools: OfferedTools, schema: JsonSchema | undefined): Look<string> {
  const { objective, material } = conversation
  const gathering = readGathering(objective, material)
  const desk = new Desk(readQuestion(objective), tools)
  if (gathering === 'review') return yield* review(desk, material)
  const gathered = gathering === 'combine' ? combine(material) : gathering === 'decide' ? decide(material) : undefined
  if (gathered !== undefined) return schema ? shape(schema, {}, gathered) : gathered
  if (/^brief the agents\b/i.test(objective)) return finish(desk, yield* purpose.work(desk)) || combine(material)
  const writing = readWriting(desk.question, tools)
  if (writing) {
    const inner = new Desk(writing.rest, tools)
    const content = writing.content ?? finish(inner, yield* work(inner))
    const written = finish(desk, yield* writeAnswer(desk, writing.path, content))
    return writing.content === undefined ? `${content}\n\n${written}` : written
  }
  const finding = yield* work(desk)
  const text = finish(desk, finding)
  if (!schema) return finding.parts.length === 0 && material !== '' ? combine(material) : text
  return shape(schema, yield* addManifestFacts(desk, schema, finding.facts ?? {}), text)
}

/** Every skill that the question asks for, side by side; a general search where none of them answers. */
function* work(desk: Desk): Look<Finding> {
  const skills = chooseSkills(desk.question, desk.tools)
  const findings = yield* together(skills.map((skill) => skill.work(desk)))
  const facts = Object.assign({}, ...findings.map((finding) => finding.facts ?? {}))
  const parts = findings.flatMap((finding) => finding.parts)
  if (findings.some((finding) => finding.answered) && keepSupported(parts, desk.evidence).length > 0)
    return { parts, facts, answered: true }
  const free = yield* answerFreely(desk)
  return { parts: [...parts, ...free.parts], facts: { ...free.facts, ...facts }, answered: free.answered }
}

/** What may be said, as text; then what a tool refused. */
function finish(desk: Desk, finding: Finding): string {
  const parts: Part[] = keepSupported(finding.parts, desk.evidence)
  const problems = [...desk.problems].sort().slice(0, 3)
  if (desk.tools.specs.length === 0 && parts.every((part) => part.kind === 'note'))
    return 'I was offered no tools, so I could look at nothing and found nothing.'
  if (parts.length === 0 && problems.length === 0)
    parts.push(note('I found nothing in the workspace that answers this.'))
  return writeParts([...parts, ...problems.map(note)])
}

function shape(schema: JsonSchema, facts: Facts, text: string): string {
  const value = toShape(schema, facts, text)
  if (value !== undefined) return JSON.stringify(value)
  return `I decline to answer in the shape asked for: what I found does not fill it, and I make nothing up.\n\n${text}`
}
